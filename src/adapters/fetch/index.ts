/**
 * Mounts a service where requests are `Request` objects. Runs on every platform.
 *
 * @module async-request-reply/fetch
 */

export { type FetchHandler, toFetchHandler } from "./to-fetch-handler.js";

/**
 * Mounts a service on platforms that pass a `Request` and expect a `Response`. Runs on every platform.
 *
 * @module async-request-reply/fetch
 */

export type { MountOptions } from "../mount-options.js";
export {
  type FallthroughFetchHandler,
  type FetchHandler,
  type FetchMountable,
  toFetchHandler,
} from "./to-fetch-handler.js";

/**
 * Mounts a service on Express 4 and 5.
 *
 * @module async-request-reply/express
 */

export type { MountOptions } from "../mount-options.js";
export type { ExpressRequest } from "./read-request.js";
export { type ExpressHandler, toExpressHandler } from "./to-express-handler.js";

/**
 * Mounts a service on Express 4 and 5.
 *
 * @module async-request-reply/express
 */

export type { MountOptions } from "../mount-options.js";
export { type ExpressHandler, type ExpressRequest, toExpressHandler } from "./to-express-handler.js";

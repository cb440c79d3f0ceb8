/**
 * Mounts a service on `http.createServer` and whatever else has its call shape.
 *
 * @module async-request-reply/node
 */

export type { MountOptions } from "../mount-options.js";
export { type NodeHandler, toNodeHandler } from "./to-node-handler.js";

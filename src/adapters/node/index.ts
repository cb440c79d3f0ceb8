/**
 * Mounts a service on `http.createServer` and on anything else that calls its handlers the same way.
 *
 * @module async-request-reply/node
 */

export type { MountOptions } from "../mount-options.js";
export { type CloseOptions, closeServer } from "./close-server.js";
export { type NodeHandler, toNodeHandler } from "./to-node-handler.js";

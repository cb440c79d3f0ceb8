export { type NodeHandler, toNodeHandler } from "./to-node-handler.js";

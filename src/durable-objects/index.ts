/**
 * Operations in Durable Objects of Cloudflare: one small database per tenant.
 *
 * @module async-request-reply/durable-objects
 */
export {
  createDurableObjectBackend,
  type DurableObjectBackend,
  type DurableObjectBackendOptions,
} from "../backends/durable-objects/backend.js";
export type { ObjectRows, ObjectSql, ObjectStorage } from "../backends/durable-objects/storage.js";
export {
  createOperationsObject,
  type ObjectTransactions,
  type OperationsObject,
  type OperationsObjectOptions,
} from "./operations-object.js";
export type { AlarmStorage, ObjectNamespace, ObjectState, ObjectStub } from "./platform.js";
export { type RouteOptions, type RoutingHandler, routeToTenant } from "./route-to-tenant.js";

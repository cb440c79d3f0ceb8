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
export type { TenantOrder } from "./directory/calls.js";
export {
  createDirectoryObject,
  type DirectoryObject,
  type DirectoryState,
} from "./directory/directory-object.js";
export {
  createOperationsObject,
  type ObjectTransactions,
  type OperationsObject,
  type OperationsObjectOptions,
} from "./operations-object.js";
export {
  createObjectsOperator,
  type ObjectsOperator,
  type ObjectsOperatorOptions,
  type TenantCounts,
  type TenantsOptions,
} from "./operator/objects-operator.js";
export type { AlarmStorage, ObjectNamespace, ObjectState, ObjectStub } from "./platform.js";
export { type RouteOptions, type RoutingHandler, routeToTenant } from "./route-to-tenant.js";

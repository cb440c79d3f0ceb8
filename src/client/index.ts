/**
 * Submits operations and reads their results, in browsers and on every other platform with the Fetch API. Imports
 * nothing of the server.
 *
 * @module async-request-reply/client
 */

export type { ViewOf } from "../contract/definition/definitions.js";
export { AsyncReplyError, isAsyncReplyError } from "../contract/errors.js";
export type { MaybePromise } from "../contract/options.js";
export type { OutputLink, OutputPart } from "../contract/output.js";
export { type Client, type ClientPaths, createClient, type OperationClient } from "./client.js";
export { eventStream } from "./event-stream.js";
export type {
  ClientCancelResult,
  OperationHandle,
  OutputOptions,
  QueryOptions,
  SavedOperation,
} from "./handle.js";
export { createKeyStore, type Intent, type KeyStorage, type KeyStore } from "./key-store.js";
export { type ListedClientOperation, type ListOptions, listOperations } from "./list.js";
export type { ClientOperation } from "./operation.js";
export type {
  CallOptions,
  ClientFetch,
  ClientHeaders,
  ClientOptions,
  ClientRequest,
  OutputStream,
  StateStream,
} from "./options.js";
export { outputStream } from "./output-stream.js";
export type { ClientSubmitOptions } from "./submit.js";

import { isAsyncReplyError } from "../contract/errors.js";
import type { AttemptMessage, ProcessMessage } from "../telemetry/messages.js";
import type { Attributes } from "./api.js";

/** Name of the tracer and of the meter. */
export const SCOPE = "async-request-reply";

/** Version of the semantic conventions for messaging that the names of spans and their attributes follow. */
export const SCHEMA_URL = "https://opentelemetry.io/schemas/1.45.0";

/** Attribute of metrics: name of the definition. */
export const DEFINITION = "async_request_reply.definition";
/** Attribute of metrics and spans: what became of the submission, the attempt or the delivery. */
export const OUTCOME = "async_request_reply.outcome";
/** Attribute of spans: tenant that owns the operation. Metrics never have it: there would be a time series per tenant. */
export const TENANT = "async_request_reply.tenant";
/** Attribute of spans: number of the attempt. */
const ATTEMPT = "async_request_reply.attempt";

/** Returns the attributes of a span about an operation of a definition. */
export function messaging(name: string, type: "send" | "process", definition: string): Attributes {
  return {
    "messaging.system": SCOPE,
    "messaging.operation.name": name,
    "messaging.operation.type": type,
    "messaging.destination.name": definition,
  };
}

/** Returns the attributes of a span about an attempt. */
export function ofAttempt({ operationId, tenant, attempt }: AttemptMessage): Attributes {
  return { "messaging.message.id": operationId, [TENANT]: tenant, [ATTEMPT]: attempt };
}

/** Returns the outcome of an attempt by the names of its settlement. Attempts that do not count are retried too. */
export function outcomeOf({ outcome = "lost" }: ProcessMessage): string {
  return outcome === "retry" ? "retried" : outcome;
}

/** Names that are identifiers. Any other text may contain data, and would be unbounded. */
const IDENTIFIER = /^[\w.$]{1,100}$/;

/** Returns the value of `error.type` on a span: the code of our errors, and the name of all others. */
export function errorType(error: unknown): string {
  if (isAsyncReplyError(error)) return error.code;
  try {
    const { name } = error as Partial<Error>;
    return typeof name === "string" && IDENTIFIER.test(name) ? name : "_OTHER";
  } catch {
    // The error is `undefined` or `null`, or reading it throws.
    return "_OTHER";
  }
}

import {
  allowAnonymous,
  type Backend,
  type CreateResource,
  createService,
  defineOperation,
  type JsonSchema,
  type Problem,
} from "async-request-reply";
import { allFormats, besidesJson } from "./all-formats.js";
import { anything } from "./careless-schema.js";

/** One request with the key `k`. */
export interface Attempt {
  /** The media type of the body. */
  readonly type: string;
  /** The schema of the service that gets the request. */
  readonly schema: JsonSchema;
  readonly body: string;
}

interface Options {
  readonly create?: CreateResource<Record<string, unknown>, unknown>;
}

/**
 * Sends requests to services that share a back end, as before and after a deploy. Each service has the schema of its request.
 * Returns `accepted`, `replayed`, or the name of the problem.
 */
export function createRetryStage(
  backend: Backend,
  { create }: Options = {},
): (attempt: Attempt) => Promise<string> {
  return async ({ type, schema, body }) => {
    const definition = { name: "orders", rootName: "order", path: "/orders", input: anything } as const;
    const service = createService({
      backend,
      definitions: [defineOperation({ ...definition, jsonSchema: schema })],
      ...(create === undefined ? {} : { create: { orders: create } }),
      authorize: allowAnonymous(),
      formats: besidesJson,
    });
    const headers = { "content-type": type, "idempotency-key": "k" };
    const reply = await service.handle({ method: "POST", path: "/orders", headers, body });
    if (reply.status >= 400) return (JSON.parse(String(reply.body)) as Problem).type.split("#")[1] ?? "";
    return reply.headers["idempotent-replayed"] === "true" ? "replayed" : "accepted";
  };
}

/** Writes a value like a client that knows the schema. */
export function writeValue(type: string, schema: JsonSchema, value: unknown): string {
  const format = allFormats[type];
  if (format === undefined) throw new Error(`Unknown format: ${type}`);
  return format.serialize(value, { kind: "resource", name: "order", schema });
}

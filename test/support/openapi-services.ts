import {
  allowAnonymous,
  apiKey,
  bearer,
  createOrderService,
  createService,
  defineOperation,
  defineOrders,
  type Format,
  type Service,
} from "async-request-reply";
import {
  createOpenApiDocument,
  type OpenApiDocument,
  type OpenApiInfo,
  type OpenApiOptions,
} from "async-request-reply/openapi";
import * as z from "zod";
import { besidesJson } from "./all-formats.js";

/** The `info` of all test documents. */
export const info: OpenApiInfo = {
  title: "Orders",
  version: "1.0.0",
  license: { name: "MIT", identifier: "MIT" },
};

const authorize = bearer({ "token-of-a": "a" });

const Part = z.object({
  name: z.string(),
  get parts() {
    return z.array(Part);
  },
});

const several = [
  defineOrders({ cancellable: true }),
  defineOperation({
    name: "assemblies",
    path: "/assemblies",
    input: z.object({ left: Part, right: Part }),
    result: Part,
  }),
  defineOperation({
    name: "untold",
    path: "/untold",
    input: z.object({ since: z.custom<string>() }),
  }),
] as const;

/** A format with an alias, which no test uses. */
const unknown: Format = {
  mediaTypes: ["application/example", "text/example"],
  problemMediaType: "application/problem+example",
  parse: (bytes) => String(bytes),
  serialize: (value) => String(value),
};

/** All kinds of services, by description. */
export const services: Readonly<Record<string, Service>> = {
  "the order service": createOrderService({ authorize }),
  "orders that are created before the reply": createOrderService({
    authorize,
    create: () => ({ body: {} }),
  }),
  "all options at once": createOrderService({
    authorize,
    admit: () => undefined,
    cancellable: true,
    idempotencyKey: "required",
    limits: { pending: 10, pendingPerTenant: 5 },
    deprecated: {
      since: new Date("2026-11-01T00:00:00Z"),
      sunset: new Date("2027-06-30T12:00:00Z"),
      link: "https://example.com/orders",
    },
  }),
  "several definitions below a path": createService({
    definitions: several,
    basePath: "/api/v1",
    authorize: apiKey({ "key-of-a": "a" }),
  }),
  "orders without authorization": createOrderService({ authorize: allowAnonymous() }),
  "orders in every format": createOrderService({ authorize, formats: besidesJson }),
  "operations with output": createService({
    authorize,
    definitions: [
      defineOperation({
        name: "answers",
        path: "/answers",
        input: z.string(),
        chunk: z.object({ text: z.string() }),
      }),
      defineOperation({ name: "logs", path: "/logs", input: z.string(), chunk: z.string() }),
      defineOperation({ name: "plain", path: "/plain", input: z.string() }),
    ],
  }),
  "a custom format": createOrderService({ authorize, formats: [unknown] }),
};

/**
 * Returns the document of one of the services.
 *
 * @throws Error if no service has this name
 */
export function documentOf(name: string, options: Partial<OpenApiOptions> = {}): OpenApiDocument {
  const service = services[name];
  if (service === undefined)
    throw new Error(`Unknown service "${name}". Known: ${Object.keys(services).join(", ")}.`);
  return createOpenApiDocument(service, { info, ...options });
}

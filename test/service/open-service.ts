import {
  allowAnonymous,
  type Backend,
  createMemoryBackend,
  createService,
  type HttpRequest,
  type OperationDefinition,
  type ServiceEvent,
  type ServiceOptions,
} from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";

/** Opens a service on the memory back end and a manual clock. Everyone may call it. `events` are those observed so far. */
export function openService<const Definitions extends readonly OperationDefinition[], Tx = never>(
  definitions: Definitions,
  options: Partial<ServiceOptions<Definitions, Tx>> = {},
) {
  const clock = createManualClock();
  const events: ServiceEvent[] = [];
  const backend = createMemoryBackend({ clock });
  const service = createService<Definitions, Tx>({
    definitions,
    backend: backend as Backend<Tx>,
    authorize: allowAnonymous(),
    observe: (event) => events.push(event),
    runtime: { clock },
    ...options,
  });
  return { service, backend, clock, events };
}

/** Returns a request that posts a value as JSON. A text is the body itself. */
export function jsonPost(
  path: string,
  body: unknown,
  fields: Readonly<Record<string, string>> = {},
): HttpRequest & { readonly body: string } {
  const headers = { "content-type": "application/json", ...fields };
  return { method: "POST", path, headers, body: typeof body === "string" ? body : JSON.stringify(body) };
}

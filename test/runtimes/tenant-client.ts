import type { ServerProcess } from "./server-process.js";

/** A request of a tenant. */
interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Calls a server as one tenant. */
export type TenantClient = (path: string, call?: Call) => Promise<Response>;

/** Creates the client of a tenant. */
export function asTenant(tenant: string, server: () => ServerProcess): TenantClient {
  return (path, { method = "GET", headers = {}, body } = {}) =>
    fetch(server().baseUrl + path, {
      method,
      headers: {
        "x-tenant": encodeURIComponent(tenant),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
}

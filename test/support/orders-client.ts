import { vi } from "vitest";

/** The members of the operation resource that the tests read. */
interface OperationBody {
  readonly operationId: string;
  readonly status: string;
  readonly result?: unknown;
  readonly error?: { readonly type: string; readonly detail: string };
}

export type OrdersClient = ReturnType<typeof createOrdersClient>;

/** A plain HTTP client of the example server. */
export function createOrdersClient(baseUrl: string, token = "demo-token") {
  const credentials = { authorization: `Bearer ${token}` };

  /** Posts a value as JSON, or a string unchanged. `undefined` omits a default header field. */
  async function submit(
    body: unknown,
    headers: Readonly<Record<string, string | undefined>> = {},
  ): Promise<Response> {
    const fields = { ...credentials, "content-type": "application/json", ...headers };
    return fetch(`${baseUrl}/orders`, {
      method: "POST",
      headers: Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined),
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  }

  async function read(location: string): Promise<OperationBody> {
    const response = await fetch(`${baseUrl}${location}`, { headers: credentials });
    if (response.status !== 200) throw new Error(`${location} answers ${response.status}`);
    return (await response.json()) as OperationBody;
  }

  return {
    submit,
    /** Submits an order and returns the location of its operation. Throws unless the status is 202. */
    accepted: async (body: unknown) => {
      const response = await submit(body);
      await response.arrayBuffer();
      const location = response.headers.get("location");
      if (response.status !== 202 || location === null) throw new Error(`not accepted: ${response.status}`);
      return location;
    },
    read,
    /** Polls until the operation is terminal. */
    settled: (location: string) =>
      vi.waitUntil(
        async () => {
          const operation = await read(location);
          return operation.status === "pending" ? undefined : operation;
        },
        { interval: 25 },
      ),
  };
}

import { type Client, createClient, createKeyStore, listOperations } from "async-request-reply/client";
import { toFetchHandler } from "async-request-reply/fetch";
import { exportsOf, orders } from "./definitions.js";

const definitions = [exportsOf, orders] as const;
const baseUrl = "https://api.example.com";

const api = createClient({ baseUrl, definitions: [exportsOf, orders] });
const listed = createClient({ baseUrl, definitions });
/** Without the definitions at run time, the compiler checks the paths. */
const typeOnly = createClient<typeof definitions>({
  baseUrl,
  paths: { exports: "/accounts/{accountId}/exports", orders: "/orders" },
});
const same: readonly Client<typeof definitions>[] = [api, listed, typeOnly];
same.at(0);
// @ts-expect-error -- wrong path
createClient<typeof definitions>({ baseUrl, paths: { exports: "/exports", orders: "/orders" } });
// @ts-expect-error -- missing path
createClient<typeof definitions>({ baseUrl, paths: { orders: "/orders" } });
// @ts-expect-error -- neither definitions nor paths
createClient({ baseUrl });
// @ts-expect-error -- no address
createClient({ definitions });
// @ts-expect-error -- misspelt option
createClient({ baseUrl, definitions, keystore: new Map() });

/** All that the options accept. */
createClient({ baseUrl, definitions, keyStore: createKeyStore(new Map<string, string>()) });
// @ts-expect-error -- a storage is not a key store
createClient({ baseUrl, definitions, keyStore: new Map<string, string>() });
createClient({ baseUrl, definitions, headers: { authorization: "Bearer a" } });
createClient({ baseUrl, definitions, headers: async () => ({ authorization: "Bearer a" }), fetch });
declare const service: Parameters<typeof toFetchHandler>[0];
const handle = toFetchHandler(service);
createClient({ baseUrl, definitions, fetch: (url, request) => handle(new Request(url, request)) });
createClient({
  baseUrl,
  definitions,
  fetch: (url, request) => fetch(url, { ...request, credentials: "include" }),
});
// @ts-expect-error -- a handler takes a `Request`
createClient({ baseUrl, definitions, fetch: handle });

export async function use(): Promise<void> {
  for (const client of [api, listed, typeOnly]) {
    const op = await client.exports.submit({ accountId: "a" }, { key: "k", waitMs: 1_000 });
    const { rows, at } = await op.result();
    const checked: [number, string] = [rows, at];
    // @ts-expect-error -- a Date arrives as a string
    const date: Date = at;
    for await (const state of op) {
      if (state.status === "pending") checked[0] = state.progress?.percent ?? 0;
      if (state.status === "completed") checked[1] = state.result.at;
      if (state.status === "failed") checked[1] = state.error.title;
      // @ts-expect-error -- only a completed operation has a result
      state.result;
      // @ts-expect-error -- there is no such status
      if (state.status === "running") return;
    }
    const resumed = client.exports.resume(JSON.stringify(op));
    checked[0] = (await resumed.result({ signal: AbortSignal.timeout(1) })).rows;
    const { data } = { data: await op.queryOptions().queryFn({}) };
    checked[1] = data.status;
    const read = await resumed.get({ headers: { "x-a": "b" } });
    if (read?.status === "completed") checked[0] = read.result.rows;
    const { outcome, operation } = await resumed.cancel();
    if (outcome === "terminal" && operation?.status === "completed") checked[1] = operation.result.at;
    for await (const listed of listOperations(client.exports, { status: "failed", limit: 5 })) {
      checked[1] = client.exports.resume(listed).operationId;
      if (listed.status === "failed") checked[1] = listed.error.name ?? listed.error.type;
      // @ts-expect-error -- lists have no results
      listed.result;
    }
    // @ts-expect-error -- unknown status
    void listOperations(client.exports, { status: "running" });
    await client.exports.submit({ accountId: "a" }, { webhookUrl: "https://a.example", headers: {} });
    // @ts-expect-error -- a handle has no `then`
    op.then;
    // @ts-expect-error -- wrong input
    await client.exports.submit({ format: "csv" });
    // @ts-expect-error -- wrong member of an enumeration
    await client.exports.submit({ accountId: "a", format: "pdf" });
    // @ts-expect-error -- input of another definition
    await client.orders.submit({ accountId: "a" });
    // @ts-expect-error -- misspelt option
    await client.orders.submit({ itemId: "a", quantity: 1 }, { waitMS: 1 });
    // @ts-expect-error -- unknown definition
    client.reports;
    date.getTime();
  }
}

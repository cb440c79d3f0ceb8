import type { OperationStatus } from "../contract/operation.js";
import { misuse, shown } from "../contract/options.js";
import { type OperationClient, SOURCE } from "./client.js";
import { type ClientOperation, toOperation } from "./operation.js";
import { type CallOptions, checkCall } from "./options.js";
import { send } from "./send.js";

/** Options of {@link listOperations}. */
export interface ListOptions extends CallOptions {
  /** Lists only operations with this status. Default: all. */
  readonly status?: OperationStatus;
  /** Operations per request, from 1 to 100. The iteration continues with the next page. Default: 20. */
  readonly limit?: number;
}

/** An operation of a list, without its progress and result. Pass it to `resume` to read them. */
export type ListedClientOperation<Definition> =
  ClientOperation<Definition> extends infer State
    ? // Distributes, so that the members still depend on the status.
      State extends unknown
      ? Omit<State, "progress" | "result">
      : never
    : never;

/**
 * Iterates over the tenant's operations of a definition, newest first: `listOperations(api.orders)`. Requests the next
 * page when the iteration gets there. Pages that other origins serve must expose the header field `Link`, or the
 * iteration ends with the first one.
 *
 * Throws `REQUEST_REFUSED`, also if the service has no lists, `SERVICE_UNAVAILABLE`, and `INVALID_OPTION` if the reply is
 * not a list.
 */
export async function* listOperations<Definition>(
  calls: OperationClient<Definition>,
  options: ListOptions = {},
): AsyncGenerator<ListedClientOperation<Definition>, void, undefined> {
  if (!calls?.[SOURCE])
    throw misuse(
      `listOperations takes the calls of a definition, such as \`api.orders\`, not ${shown(calls)}.`,
    );
  const { settings, definition } = calls[SOURCE];
  const { status, limit, signal, headers } = checkCall("listOperations", options, ["status", "limit"]);
  // React Native's `URLSearchParams` has no `set`.
  const parameters = Object.entries({ definition, status, limit }).filter(([, value]) => value !== undefined);
  const wanted = parameters.map(([name, value]) => `${name}=${encodeURIComponent(`${value}`)}`).join("&");
  let query: string | undefined = `?${wanted}`;
  const read = new Set<string>();
  while (query !== undefined) {
    read.add(query);
    const url = settings.statusUrl + query;
    const reply = await send({ ...settings, callHeaders: headers }, { url, signal });
    const { operations } = (reply.body ?? {}) as { readonly operations?: unknown };
    if (!Array.isArray(operations))
      throw misuse(`The reply of ${url} is not a list. Check \`baseUrl\` and \`statusPath\`.`);
    // A proxy may have changed the path, so the client keeps its own and only takes the query.
    const next = /<[^<>?]*(\?[^<>]*)>; *rel="?next\b/.exec(reply.headers.get("link") ?? "")?.[1];
    if (next !== undefined && read.has(next))
      throw misuse(
        `The reply of ${url} is another page of the list. Let no cache between client and service ignore the query.`,
      );
    for (const operation of operations)
      yield toOperation(operation, url) as unknown as ListedClientOperation<Definition>;
    query = next;
  }
}

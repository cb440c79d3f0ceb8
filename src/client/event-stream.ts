import { AsyncReplyError } from "../contract/errors.js";
import { openEvents } from "./connections.js";
import type { Connection } from "./event-reader.js";
import { type AnyOperation, hasEnded, toOperation } from "./operation.js";
import type { ClientSettings } from "./options.js";

/**
 * Reads the states of an operation from server-sent events, over one connection instead of one request for each state.
 * Pass it to `createClient` as `eventStream`. Ends without a terminal state if the service does not stream.
 *
 * Throws `INVALID_OPTION` if the reply is neither a stream nor an operation, or if an event is no operation.
 */
export async function* eventStream(
  settings: ClientSettings,
  url: string,
  signal?: AbortSignal,
): AsyncGenerator<AnyOperation, void, undefined> {
  const toCall = ({ lastId }: Connection) => ({
    url,
    headers: () => ({
      accept: "text/event-stream, application/json;q=0.5",
      ...(lastId === "" ? {} : { "last-event-id": lastId }),
    }),
  });
  for await (const { type, data } of openEvents(settings, toCall, "", signal)) {
    if (type !== "message") continue;
    const operation = toState(data, url);
    yield operation;
    if (hasEnded(operation)) return;
  }
}

function toState(data: string, url: string): AnyOperation {
  try {
    return toOperation(JSON.parse(data), url);
  } catch (cause) {
    const detail = `An event of ${url} is not an operation. Check \`baseUrl\` and \`statusPath\`.`;
    throw new AsyncReplyError("INVALID_OPTION", detail, { cause });
  }
}

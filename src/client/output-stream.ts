import { misuse } from "../contract/options.js";
import type { OutputPart } from "../contract/output.js";
import { openEvents } from "./connections.js";
import type { Connection } from "./event-reader.js";
import type { ClientSettings } from "./options.js";

/** The last event of a connection. */
interface Control {
  readonly streamClosed?: boolean;
}

/**
 * Reads the output of an operation from server-sent events. Pass it to `createClient` as `outputStream`. Reconnects where it was.
 *
 * Throws `INVALID_OPTION` if the reply is no output.
 */
export async function* outputStream(
  settings: ClientSettings,
  url: string,
  from = "",
  signal?: AbortSignal,
): AsyncGenerator<OutputPart<unknown>, void, undefined> {
  const toCall = ({ lastId }: Connection) => ({
    url: `${url}?live=sse&offset=${encodeURIComponent(lastId || "-1")}`,
    headers: () => ({ accept: "text/event-stream" }),
    expected: "output-discarded",
    // The service does not stream, or has no place. It sends what there is whenever there is something.
    patientWith: 429,
  });
  let at = countOf(from);
  for await (const { type, data, lastId: position } of openEvents(settings, toCall, from, signal)) {
    const isData = type === "data";
    if (!isData && type !== "output-discarded") {
      if (type === "control" && parse<Control>(data, url).streamClosed) return;
      continue;
    }
    const chunks = isData ? parse<readonly unknown[]>(data, url) : [];
    if (!isData) at = countOf(position);
    yield { at, chunks, position };
    at += chunks.length;
  }
}

/** Returns the number of chunks before a place, as the service writes it. */
function countOf(position: string): number {
  return Number(position.split("_")[1]) || 0;
}

function parse<Value>(data: string, url: string): Value {
  try {
    return JSON.parse(data) as Value;
  } catch {
    throw misuse(`An event of ${url} is not JSON. Check \`baseUrl\` and \`statusPath\`.`);
  }
}

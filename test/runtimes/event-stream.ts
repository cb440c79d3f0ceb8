import { createEventParser, type ReceivedStream } from "../support/event-reader.js";

/** A stream of a server, read as fast as it comes. */
export interface RemoteStream {
  readonly status: number;
  readonly headers: Headers;
  readonly received: ReceivedStream;
  /** The data of each event so far. */
  operations(): readonly { readonly status: string; readonly progress?: unknown }[];
  /** Whether the server has ended the stream. */
  readonly ended: boolean;
  /** Disconnects. */
  abort(): void;
}

/** Requests the stream of an operation. */
export async function openRemoteStream(
  url: string,
  fields: Record<string, string> = {},
): Promise<RemoteStream> {
  const client = new AbortController();
  const headers = { accept: "text/event-stream", ...fields };
  const response = await fetch(url, { headers, signal: client.signal });
  const { received, push } = createEventParser();
  let ended = false;
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? [])
      push(decoder.decode(chunk as Uint8Array, { stream: true }));
    ended = true;
  };
  // An aborted or broken stream never counts as ended.
  read().catch(() => {});
  return {
    status: response.status,
    headers: response.headers,
    received,
    operations: () => received.events.map(({ data }) => JSON.parse(data) as { readonly status: string }),
    get ended() {
      return ended;
    },
    abort: () => client.abort(),
  };
}

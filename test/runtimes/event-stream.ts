import { createEventParser } from "../support/event-reader.js";

/** Requests the stream of an operation, and reads it as fast as it comes. */
export async function openRemoteStream(url: string, fields: Record<string, string> = {}) {
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
    /** The data of each event so far. */
    operations: () => received.events.map(({ data }) => JSON.parse(data) as { readonly status: string }),
    /** Whether the server has ended the stream. */
    get ended() {
      return ended;
    },
    /** Disconnects. */
    abort: () => client.abort(),
  };
}

import { type AnyOperation, hasEnded, toOperation } from "./operation.js";
import type { ClientSettings } from "./options.js";
import { pause } from "./pause.js";
import { send } from "./send.js";

/** A stream of events, and of the pauses before its reconnects. */
type Events = AsyncGenerator<ReadonlyMap<string, string>, void, undefined>;

/** Default of the time until a reconnect, unless the service sends another one. Milliseconds. */
const RETRY_MS = 1_000;

/** Services send a comment every few seconds. A connection without one is dead. Milliseconds. */
const SILENCE_MS = 30_000;

/**
 * Reads the states of an operation from server-sent events, over one connection instead of one request for each state.
 * Pass it to `createClient` as `eventStream`. Ends without a terminal state if the service does not stream.
 */
export async function* eventStream(
  settings: ClientSettings,
  url: string,
  signal?: AbortSignal,
): AsyncGenerator<AnyOperation, void, undefined> {
  let lastId = "";
  let retryMs = RETRY_MS;
  for (;;) {
    const { body } = await send(settings, {
      method: "GET",
      url,
      signal,
      headers: () => ({
        accept: "text/event-stream, application/json;q=0.5",
        ...(lastId === "" ? {} : { "last-event-id": lastId }),
      }),
      read: async (response) =>
        response.headers.get("content-type")?.startsWith("text/event-stream") ? response.body : undefined,
    });
    if (!body) return;
    for await (const fields of readEvents(body as ReadableStream<Uint8Array>, signal)) {
      lastId = fields.get("id") ?? lastId;
      retryMs = Number(fields.get("retry") ?? retryMs);
      const data = fields.get("data");
      if (data === undefined) continue;
      const operation = toOperation(JSON.parse(data), url);
      yield operation;
      if (hasEnded(operation)) return;
    }
    await pause(retryMs, signal);
  }
}

/** Reads the fields of each event, until the connection ends, is silent for too long, or the signal is aborted. */
async function* readEvents(body: ReadableStream<Uint8Array>, signal: AbortSignal | undefined): Events {
  const reader = body.getReader();
  const stop = (): void => void reader.cancel().catch(() => {});
  const decoder = new TextDecoder();
  let text = "";
  signal?.addEventListener("abort", stop);
  try {
    for (;;) {
      const silence = setTimeout(stop, SILENCE_MS);
      // A connection that breaks is the end of the stream.
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
      clearTimeout(silence);
      signal?.throwIfAborted();
      if (done) return;
      const events = (text + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/);
      text = events.pop() ?? "";
      for (const event of events) yield new Map(event.split(/\r?\n/).map(toField));
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    stop();
  }
}

function toField(line: string): [name: string, value: string] {
  const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
  return [name, value];
}

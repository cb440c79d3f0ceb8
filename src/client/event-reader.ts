import { misuse } from "../contract/options.js";
import { reasonOf } from "./pause.js";

/** An event with data. */
export interface StreamEvent {
  readonly type: string;
  readonly data: string;
}

/** State that the next connection continues from. */
export interface Connection {
  /** Id of the last event, or an empty text. */
  lastId: string;
  /** Time until a reconnect. */
  retryMs: number;
  /** Whether an event or a time until a reconnect arrived. */
  wasHeard: boolean;
}

/** Services send a comment every few seconds. A connection without one is dead. Milliseconds. */
const SILENCE_MS = 30_000;

/** An event may have this many characters. Otherwise a line without an end would fill the memory. */
const MAX_EVENT_LENGTH = 2 ** 24;

/**
 * Reads the events with data as the HTML standard does (§9.2.6), until the connection ends, is silent for too long,
 * or the signal is aborted. Takes linear time.
 *
 * Throws `INVALID_OPTION` if an event is too long.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  url: string,
  connection: Connection,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamEvent, void, undefined> {
  let id = connection.lastId;
  let type = "";
  let data: string[] = [];
  let length = 0;
  for await (const line of readLines(body, url, () => length, signal)) {
    length += line.length + 1;
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (line === "") {
      connection.lastId = id;
      if (data.length > 0) {
        connection.wasHeard = true;
        yield { type: type || "message", data: data.join("\n") };
      }
      type = "";
      data = [];
      length = 0;
    } else if (name === "data") data.push(value);
    else if (name === "event") type = value;
    else if (name === "id" && !value.includes("\0")) id = value;
    else if (name === "retry" && /^\d+$/.test(value)) {
      connection.retryMs = Number(value);
      connection.wasHeard = true;
    }
  }
}

/** Reads lines that end with LF, CR or both. Never looks at a character twice before its line is complete. */
async function* readLines(
  body: ReadableStream<Uint8Array>,
  url: string,
  lengthBefore: () => number,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, undefined> {
  let rest = "";
  let endedWithCr = false;
  for await (const chunk of readTexts(body, signal)) {
    const lines = (endedWithCr && chunk.startsWith("\n") ? chunk.slice(1) : chunk).split(/\r\n|\r|\n/);
    if (chunk !== "") endedWithCr = chunk.endsWith("\r");
    lines[0] = rest + lines[0];
    rest = lines.pop() ?? "";
    yield* lines;
    if (lengthBefore() + rest.length > MAX_EVENT_LENGTH)
      throw misuse(
        `An event of ${url} has more than ${MAX_EVENT_LENGTH} characters, which no operation has.`,
      );
  }
}

/** Reads a body as text. A connection that breaks is the end of the body. */
async function* readTexts(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const stop = (): void => void reader.cancel().catch(() => {});
  const decoder = new TextDecoder();
  signal?.addEventListener("abort", stop);
  try {
    for (;;) {
      const silence = setTimeout(stop, SILENCE_MS);
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
      clearTimeout(silence);
      if (signal?.aborted) throw reasonOf(signal);
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    signal?.removeEventListener?.("abort", stop);
    stop();
  }
}

/** A byte stream that records how it is read. */
export interface WatchedStream {
  readonly stream: ReadableStream<Uint8Array>;
  /** Bytes read so far. */
  readonly pulledBytes: number;
  /** Whether the reader has cancelled it. */
  readonly isCancelled: boolean;
  /** Resolves when the reader asks for a chunk that never comes. */
  readonly stalled: Promise<void>;
}

/** Options of {@link watchStream}. */
export interface WatchOptions {
  /** Behavior after the last chunk. Default: `finish`. */
  readonly end?: "finish" | "stall";
  /** Called when the reader cancels. Default: succeeds. */
  readonly onCancel?: () => Promise<void>;
}

/** Creates a watched stream of these chunks. It pulls nothing until the first read. */
export function watchStream(
  chunks: Iterable<Uint8Array>,
  { end = "finish", onCancel = async () => {} }: WatchOptions = {},
): WatchedStream {
  const rest = chunks[Symbol.iterator]();
  let pulledBytes = 0;
  let isCancelled = false;
  let stall: () => void = () => {};
  const stalled = new Promise<void>((resolve) => {
    stall = resolve;
  });
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const { done, value } = rest.next();
        if (done !== true) {
          pulledBytes += value.byteLength;
          controller.enqueue(value);
        } else if (end === "finish") {
          controller.close();
        } else {
          stall();
          return new Promise<void>(() => {});
        }
        return undefined;
      },
      cancel: () => {
        isCancelled = true;
        return onCancel();
      },
    },
    // The default would pull one chunk ahead.
    { highWaterMark: 0 },
  );
  return {
    stream,
    get pulledBytes() {
      return pulledBytes;
    },
    get isCancelled() {
      return isCancelled;
    },
    stalled,
  };
}

/** A stream of bytes that tells what is done to it. */
export interface WatchedStream {
  readonly stream: ReadableStream<Uint8Array>;
  /** The bytes that were taken so far. */
  readonly pulledBytes: number;
  /** Whether the reader has let go of it. */
  readonly isCancelled: boolean;
  /** Resolves when it is asked for a chunk that it does not give: from then on it stalls. */
  readonly stalled: Promise<void>;
}

/** What {@link watchStream} can be told besides the chunks. */
export interface WatchOptions {
  /** What comes after the chunks. Default `finish`. */
  readonly end?: "finish" | "stall";
  /** What the source makes of being let go. */
  readonly onCancel?: () => Promise<void>;
}

/** Watches a stream of these chunks. It asks its source for nothing before somebody reads. */
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
    // With the default it would take a chunk in advance.
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

import { signalOf } from "../support/worker-stage.js";

export type WatchedStream = ReturnType<typeof watchStream>;

/** Creates a byte stream of these chunks that records how it is read. It pulls nothing until the first read. */
export function watchStream(
  chunks: Iterable<Uint8Array>,
  { end = "finish" as "finish" | "stall", onCancel = async () => {} } = {},
) {
  const rest = chunks[Symbol.iterator]();
  let pulledBytes = 0;
  let isCancelled = false;
  const stalled = signalOf();
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
          stalled.resolve();
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
    /** Resolves when the reader asks for a chunk that never comes. */
    stalled: stalled.promise,
  };
}

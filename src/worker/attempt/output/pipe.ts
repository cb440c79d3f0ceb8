import { toChunks } from "../../../platform/streams.js";
import { onAbort } from "../../../platform/waits.js";

/** A source of chunks. */
export type ChunkSource<Chunk> = AsyncIterable<Chunk> | ReadableStream<Chunk>;

/**
 * Writes each value of a source. Ends the source if a write fails or the signal is aborted, and then rejects with the reason
 * without waiting for the source, which may never answer.
 */
export function pipe<Chunk>(
  source: ChunkSource<Chunk>,
  write: (chunk: Chunk) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const chunks = toChunks(source)[Symbol.asyncIterator]();
    const end = (reason: unknown): void => {
      reject(reason);
      Promise.resolve(chunks.return?.()).catch(() => {});
    };
    const copy = async (): Promise<void> => {
      for (;;) {
        const { done, value } = await chunks.next();
        // Some sources are done because they have been ended.
        if (done === true || signal.aborted) return;
        try {
          await write(value);
        } catch (error) {
          return end(error);
        }
      }
    };
    const forget = onAbort(signal, () => end(signal.reason));
    if (signal.aborted) end(signal.reason);
    else copy().then(resolve, reject).finally(forget);
  });
}

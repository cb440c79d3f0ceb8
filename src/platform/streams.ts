/** Checks for `getReader`, because streams of another realm are not `instanceof ReadableStream`. */
export function isReadableStream<Chunk>(
  source: AsyncIterable<Chunk> | ReadableStream<Chunk>,
): source is ReadableStream<Chunk> {
  return typeof (source as Partial<ReadableStream>).getReader === "function";
}

/**
 * Returns the chunks of a source. `return` releases the source at once, even while a chunk is awaited. On some platforms,
 * the built-in iterator of a `ReadableStream` would wait for that chunk.
 */
export function toChunks<Chunk>(source: AsyncIterable<Chunk> | ReadableStream<Chunk>): AsyncIterable<Chunk> {
  if (!isReadableStream(source)) return source;
  const reader = source.getReader();
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => reader.read() as Promise<IteratorResult<Chunk>>,
      return: async () => {
        await reader.cancel();
        return { done: true, value: undefined };
      },
    }),
  };
}

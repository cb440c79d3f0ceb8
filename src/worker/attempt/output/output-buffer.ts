import { utf8Length } from "../../../contract/json/json-text.js";
import type { JsonText } from "../../../contract/operation.js";
import type { OutputAppend } from "../../../ports/output-store.js";

/** A place in an output: what is before it. */
export interface Mark {
  /** Number of chunks. */
  readonly count: number;
  /** Their size in UTF-8. Bytes. */
  readonly bytes: number;
}

/** The chunks of an attempt that the store has not confirmed. */
export class OutputBuffer {
  #chunks: JsonText[] = [];
  #stored: Mark;
  #count: number;
  #bytes: number;

  /** @param standing what stands when the attempt begins */
  constructor({ count, bytes }: Mark) {
    this.#stored = { count, bytes };
    this.#count = count;
    this.#bytes = bytes;
  }

  get isEmpty(): boolean {
    return this.#chunks.length === 0;
  }

  /** Size of the chunks that are not stored. Bytes. */
  get unstoredBytes(): number {
    return this.#bytes - this.#stored.bytes;
  }

  /** Adds a chunk, unless the output would then be larger than this. Returns whether it was added. */
  add(chunk: JsonText, maxBytes: number): boolean {
    const bytes = this.#bytes + utf8Length(chunk);
    if (bytes > maxBytes) return false;
    this.#chunks.push(chunk);
    this.#count += 1;
    this.#bytes = bytes;
    return true;
  }

  /** Returns the place after the last chunk. */
  mark(): Mark {
    return { count: this.#count, bytes: this.#bytes };
  }

  /** Returns the chunks before a place that are not stored. */
  before({ count, bytes }: Mark): Pick<OutputAppend, "from" | "chunks" | "bytes"> {
    const { count: from, bytes: before } = this.#stored;
    return { from, chunks: this.#chunks.slice(0, count - from), bytes: bytes - before };
  }

  /** Forgets the chunks before a place, because they are stored. */
  stored(mark: Mark): void {
    this.#chunks = this.#chunks.slice(mark.count - this.#stored.count);
    this.#stored = mark;
  }

  /** Drops the chunks after a place. Default: all that are not stored. */
  drop({ count, bytes }: Mark = this.#stored): void {
    this.#chunks.length = count - this.#stored.count;
    this.#count = count;
    this.#bytes = bytes;
  }
}

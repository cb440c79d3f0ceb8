/**
 * A place between two chunks of an output. Epochs count the attempts that have begun since the first chunk, so no place is ever
 * named twice: chunks that were discarded keep the names that they had.
 */
export interface OutputPosition {
  /** Epoch of the attempt that wrote the chunk before this place. 0 at the beginning. */
  readonly epoch: number;
  /** Number of chunks before this place. */
  readonly count: number;
}

/** The place before the first chunk. */
export const BEGINNING: OutputPosition = Object.freeze({ epoch: 0, count: 0 });

/** Stores count no further. */
const MAX_COUNT = 2_147_483_647;

/** The place after every chunk. The last place that stands before it is the end of an output. */
export const END: OutputPosition = Object.freeze({ epoch: MAX_COUNT, count: MAX_COUNT });

/** Returns whether two places are the same. */
export function isSamePosition(one: OutputPosition, other: OutputPosition): boolean {
  return one.epoch === other.epoch && one.count === other.count;
}

/** Digits of a number in the text of a place, so that texts have the order of places. */
const DIGITS = 16;

/** Returns a place as clients send it. A later place has a greater text. */
export function positionText({ epoch, count }: OutputPosition): string {
  return `${String(epoch).padStart(DIGITS, "0")}_${String(count).padStart(DIGITS, "0")}`;
}

/** Reads the text of a place. Returns undefined if the text is not one. */
export function parsePosition(text: string): OutputPosition | undefined {
  const [, epoch, count] = /^(\d{16})_(\d{16})$/.exec(text) ?? [];
  if (epoch === undefined || count === undefined) return undefined;
  const position = { epoch: Number(epoch), count: Number(count) };
  return position.epoch <= MAX_COUNT && position.count <= MAX_COUNT ? position : undefined;
}

/** Some chunks of an output. Everything at `at` and after it that was read before does not hold any more. */
export interface OutputPart<Chunk> {
  /** Number of chunks before these. */
  readonly at: number;
  /** The chunks, in order. */
  readonly chunks: readonly Chunk[];
  /** Place to go on from. Store it together with what you show. */
  readonly position: string;
}

/** Link to an output. */
export interface OutputLink {
  /** Path of the output. */
  readonly href: string;
  /** Whether nothing is added to it any more. */
  readonly closed: boolean;
}

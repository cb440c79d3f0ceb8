import { utf8Length } from "../../../contract/json/json-text.js";
import type { JsonText } from "../../../contract/operation.js";
import { BEGINNING, END, isSamePosition, positionText } from "../../../contract/output.js";
import type { OutputAppend, OutputRequest, OutputSlice, OutputState } from "../../../ports/output-store.js";

/** The chunks and the checkpoint that stand. */
export interface Standing {
  readonly chunks: readonly JsonText[];
  /** The last checkpoint, with the number of the attempt that set it, and of the chunks before it. */
  readonly checkpoint?: { readonly value: JsonText; readonly attempt: number; readonly count: number };
}

/** The chunks before each place that a store has named. */
export type Places = Map<string, readonly JsonText[]>;

/** Returns what stands after an append, or `undefined` if its chunks neither follow what stands nor are the same. */
export function grown(
  standing: Standing,
  { from, chunks, checkpoint }: Pick<OutputAppend, "from" | "chunks" | "checkpoint">,
  attempt: number,
): Standing | undefined {
  const end = from + chunks.length;
  const known = standing.chunks.slice(from, end);
  const isRepeated = end <= standing.chunks.length;
  if (isRepeated ? !isSame(known, chunks) : from !== standing.chunks.length) return undefined;
  const all = isRepeated ? standing.chunks : [...standing.chunks, ...chunks];
  // A call that is repeated can arrive after a later one.
  const isSet = checkpoint === undefined || markOf(checkpoint) <= markOf(standing.checkpoint);
  if (isSet) return { ...standing, chunks: all };
  return { chunks: all, checkpoint: { value: checkpoint.value, attempt, count: all.length } };
}

/** Checkpoint of an order. */
export interface Saved {
  /** Number of chunks before it. */
  readonly chunks: number;
  /** Greater than that of every earlier checkpoint. */
  readonly mark: number;
}

function markOf({ value = "{}" }: { readonly value?: JsonText } = {}): number {
  const { mark = 0 } = JSON.parse(value) as Partial<Saved>;
  return mark;
}

/** Returns what is left when another attempt begins. */
export function discarded(standing: Standing): Standing {
  return { ...standing, chunks: standing.chunks.slice(0, standing.checkpoint?.count ?? 0) };
}

/** Returns whether a store may say this to an attempt that begins. */
export function isStateOf({ chunks, checkpoint }: Standing, state: OutputState): boolean {
  return (
    state.count === chunks.length &&
    state.bytes === chunks.reduce((sum, chunk) => sum + utf8Length(chunk), 0) &&
    state.checkpoint?.value === checkpoint?.value &&
    state.checkpoint?.attempt === checkpoint?.attempt
  );
}

/**
 * Returns whether a slice has what stands: from where the reader is, or from the last place before it that stands. No place
 * may be named twice.
 */
export function isSliceOf(
  { chunks }: Standing,
  { after = BEGINNING }: Pick<OutputRequest, "after">,
  slice: OutputSlice,
  places: Places,
): boolean {
  const { start, end, upToDate } = slice;
  const isAtEnd = isSamePosition(after, END);
  const held = isAtEnd ? chunks : (places.get(positionText(after)) ?? []);
  const first = commonLength(held, chunks);
  const goesOn = !isAtEnd && first === held.length;
  const last = first + slice.chunks.length;
  const isKnownAs = (place: typeof end, count: number): boolean =>
    place.count === count &&
    isSame(places.get(positionText(place)) ?? chunks.slice(0, count), chunks.slice(0, count));
  return (
    isSamePosition(start, after) === goesOn &&
    isSame(slice.chunks, chunks.slice(first, last)) &&
    isKnownAs(start, first) &&
    isKnownAs(end, last) &&
    upToDate === (last === chunks.length) &&
    (goesOn ? upToDate || slice.chunks.length > 0 : slice.chunks.length === 0)
  );
}

/** Notes what is before the places of a slice. */
export function notePlaces({ chunks }: Standing, { start, end }: OutputSlice, places: Places): void {
  for (const place of [start, end]) places.set(positionText(place), chunks.slice(0, place.count));
}

export function isSame(some: readonly JsonText[], others: readonly JsonText[]): boolean {
  return some.length === others.length && commonLength(some, others) === some.length;
}

function commonLength(some: readonly JsonText[], others: readonly JsonText[]): number {
  const differs = some.findIndex((chunk, index) => chunk !== others[index]);
  return differs === -1 ? some.length : differs;
}

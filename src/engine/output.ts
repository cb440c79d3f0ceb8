import type { JsonText, OperationState } from "../contract/operation.js";
import { BEGINNING, isSamePosition, type OutputPosition } from "../contract/output.js";
import type {
  AppendResult,
  OutputAppend,
  OutputRequest,
  OutputSlice,
  OutputState,
} from "../ports/output-store.js";

/** The chunks of an output that one epoch wrote, up to the first of the next segment. */
export interface Segment {
  readonly epoch: number;
  /** Number of chunks before it. */
  readonly first: number;
}

/** The data of an output, besides its chunks. */
export interface OutputHead {
  /** Number of attempts that have begun since the first chunk, and the one that wrote it. */
  readonly epoch: number;
  /** Number of chunks that stand. */
  readonly count: number;
  /** Their size in UTF-8. */
  readonly bytes: number;
  /** The epochs that wrote what stands, in order. */
  readonly segments: readonly Segment[];
  /** The last checkpoint, with the attempt that set it, the time, and what stood then. */
  readonly checkpoint?: {
    readonly value: JsonText;
    readonly number: number;
    readonly attempt: number;
    /** Epoch milliseconds. */
    readonly at: number;
    readonly count: number;
    readonly bytes: number;
  };
}

/** Chunks of one epoch that were appended together. */
export interface OutputRun {
  readonly epoch: number;
  /** Number of chunks before them. */
  readonly first: number;
  readonly chunks: readonly JsonText[];
}

/** Chunks of one epoch, from the number `from` to before `end`. */
export interface RunRange {
  readonly epoch: number;
  readonly from: number;
  readonly end: number;
}

/** The outputs of a store. Steps on them run within a job of its driver. */
export interface OutputTable {
  /** Returns the time of the store's clock. Epoch milliseconds. */
  now(): number;
  /** Returns the current attempt of an operation that has not ended and has one. */
  attemptOf(id: string): { readonly token: string; readonly attempt: number } | undefined;
  stateOf(id: string): OperationState | undefined;
  head(id: string): OutputHead | undefined;
  save(id: string, head: OutputHead): void;
  insert(id: string, run: OutputRun): void;
  /**
   * Returns the runs of an epoch that have chunks from the number `from` to before `end`, in their order. May stop once their
   * chunks have this length.
   */
  runs(id: string, range: RunRange, maxLength: number): readonly OutputRun[];
  /** Notes that others may read more. */
  appended(id: string): void;
}

const NOTHING: OutputHead = { epoch: 1, count: 0, bytes: 0, segments: [] };

/** Returns what stands for an attempt. */
export function outputOf(table: OutputTable, id: string, token: string): OutputState | "lost" {
  if (table.attemptOf(id)?.token !== token) return "lost";
  return toOutputState(table.head(id) ?? NOTHING);
}

/** Returns what stands. */
export function toOutputState({ count, bytes, checkpoint }: OutputHead): OutputState {
  if (checkpoint === undefined) return { count, bytes };
  const { value, number, attempt } = checkpoint;
  return { count, bytes, checkpoint: { value, number, attempt } };
}

/** Appends the chunks of an attempt, and sets its checkpoint. */
export function append(table: OutputTable, appended: OutputAppend): AppendResult {
  const { lease, from, chunks, checkpoint } = appended;
  const { operationId: id, token } = lease;
  const current = table.attemptOf(id);
  if (current?.token !== token) return "lost";
  const head = table.head(id) ?? NOTHING;
  const isSet = checkpoint === undefined || checkpoint.number <= (head.checkpoint?.number ?? 0);
  if (isSet && head.count >= from + chunks.length) return "stored";
  if (head.count !== from) return "lost";
  const grown = grownBy(head, appended);
  const { count, bytes } = grown;
  const { attempt } = current;
  const at = table.now();
  table.save(id, isSet ? grown : { ...grown, checkpoint: { ...checkpoint, attempt, at, count, bytes } });
  if (chunks.length === 0) return "stored";
  table.insert(id, { epoch: head.epoch, first: from, chunks });
  table.appended(id);
  return "stored";
}

function grownBy(head: OutputHead, { from, chunks, bytes }: OutputAppend): OutputHead {
  const { epoch, segments } = head;
  const isContinued = chunks.length === 0 || segments.at(-1)?.epoch === epoch;
  return {
    ...head,
    count: from + chunks.length,
    bytes: head.bytes + bytes,
    segments: isContinued ? segments : [...segments, { epoch, first: from }],
  };
}

/** Returns what is left when another attempt begins: everything up to the last checkpoint. */
export function discarded(head: OutputHead): OutputHead {
  const { count = 0, bytes = 0 } = head.checkpoint ?? {};
  const segments = head.segments.filter(({ first }) => first < count);
  return { ...head, epoch: head.epoch + 1, count, bytes, segments };
}

/** Returns the output of an operation that continues from the last checkpoint of another one. Its attempts count from the first. */
export function continuing({ checkpoint }: OutputHead): OutputHead | undefined {
  return checkpoint && { ...NOTHING, checkpoint: { ...checkpoint, attempt: 1, count: 0, bytes: 0 } };
}

/** Reads a part of an output. */
export function readOutput(
  table: OutputTable,
  { id, after = BEGINNING, maxLength }: OutputRequest,
): OutputSlice | undefined {
  const state = table.stateOf(id);
  if (state === undefined) return undefined;
  const head = table.head(id) ?? NOTHING;
  const start = standingBefore(head, after);
  const runs: OutputRun[] = [];
  let left = isSamePosition(start, after) ? maxLength : 0;
  for (const { epoch, first, end } of rangesOf(head)) {
    if (end <= start.count || left <= 0) continue;
    const found = table.runs(id, { epoch, from: Math.max(start.count, first), end }, left);
    runs.push(...found);
    for (const { chunks } of found) for (const chunk of chunks) left -= chunk.length;
    // The table measures in its own way, and may have stopped earlier.
    if (endOf(found) < end) break;
  }
  return sliceOf({ count: head.count, state, checkpointAt: head.checkpoint?.at }, start, runs);
}

/** The whole output, as each slice describes it. */
interface Described {
  readonly count: number;
  readonly state: OperationState;
  readonly checkpointAt: number | undefined;
}

/** Returns the number of chunks before the end of some runs. */
function endOf(runs: readonly OutputRun[]): number {
  const last = runs.at(-1);
  return last === undefined ? 0 : last.first + last.chunks.length;
}

/** Makes a slice of the runs that were found from `start` on. The first of them may begin before it. */
export function sliceOf(
  { count, state, checkpointAt }: Described,
  start: OutputPosition,
  runs: readonly OutputRun[],
): OutputSlice {
  const chunks = runs.flatMap((run) => run.chunks.slice(Math.max(0, start.count - run.first)));
  const last = runs.at(-1);
  const end = last === undefined ? start : { epoch: last.epoch, count: last.first + last.chunks.length };
  const slice = { start, chunks, end, upToDate: end.count === count, state };
  return checkpointAt === undefined ? slice : { ...slice, checkpointAt };
}

/**
 * Returns the last place that stands and is not after another one. Everything that stood when an epoch began stands for ever,
 * because checkpoints only move on. So of an epoch without a segment, nothing stands.
 */
export function standingBefore(
  output: Pick<OutputHead, "segments" | "count">,
  { epoch, count }: OutputPosition,
): OutputPosition {
  let standing = BEGINNING;
  for (const range of rangesOf(output)) {
    if (range.epoch > epoch || range.first >= count) break;
    standing = { epoch: range.epoch, count: Math.min(count, range.end) };
  }
  return standing;
}

function rangesOf({
  segments,
  count,
}: Pick<OutputHead, "segments" | "count">): readonly (Segment & { readonly end: number })[] {
  return segments.map((segment, index) => ({ ...segment, end: segments[index + 1]?.first ?? count }));
}

import { invalidOption, present } from "../contract/options.js";
import type { ListPosition } from "../ports/operation-reads.js";
import { parseCursor, toCursor } from "../protocol/list-cursor.js";
import { type ActionOptions, recordAction } from "./act.js";
import type { OperatorContext } from "./context.js";
import type { Filter, ReadMembers } from "./filter.js";
import { maskMessage } from "./mask-message.js";

/** Counts of one redrive of many: of all calls that continue each other with a cursor. */
export interface RedriveSoFar {
  /** Random id of the redrive. */
  readonly run: string;
  readonly redriven: number;
  readonly skipped: number;
}

/** Place from which a redrive of many continues. */
export interface RedrivePosition {
  readonly after: ListPosition;
  /** Absent in the cursors of lists, and in those of earlier releases. */
  readonly soFar?: RedriveSoFar;
}

/** Returns the cursor of a position. */
export function toRedriveCursor(after: ListPosition, { run, redriven, skipped }: RedriveSoFar): string {
  return [toCursor(after), run, redriven, skipped].join(".");
}

/**
 * Returns the position that a cursor stands for.
 *
 * Throws `INVALID_OPTION`.
 */
export function readRedriveCursor(cursor: unknown): RedrivePosition {
  const [place, run = "", ...counts] = typeof cursor === "string" ? cursor.split(".") : [];
  const after = parseCursor(place);
  const [redriven = -1, skipped = -1] = counts.map(Number);
  if (after !== undefined && place === cursor) return { after };
  const isCounted = [redriven, skipped].every((count) => Number.isSafeInteger(count) && count >= 0);
  if (after !== undefined && isCounted && toRedriveCursor(after, { run, redriven, skipped }) === cursor)
    return { after, soFar: { run, redriven, skipped } };
  throw invalidOption("cursor", "the `cursor` of an earlier result, unchanged", cursor);
}

/** A call that has ended. */
interface EndedCall {
  readonly filter: ReadMembers<Filter>;
  readonly redriven: number;
  readonly skipped: number;
  /** Facts about its end. */
  readonly end: object;
}

/** Settings of the call. */
interface CallSettings extends ActionOptions {
  readonly keepCheckpoint: boolean;
  readonly cursor: RedrivePosition | undefined;
}

/**
 * Records what a redrive of many has done so far, if it ran anything again, and returns it. The id depends on who acts and on the
 * filter, so a cursor that another caller uses, or uses for something else, changes no action of others.
 */
export async function recordRedrive(
  context: OperatorContext,
  { filter, redriven, skipped, end }: EndedCall,
  { cursor, keepCheckpoint, by, via }: CallSettings,
): Promise<RedriveSoFar> {
  const { soFar = { run: context.runtime.newToken(), redriven: 0, skipped: 0 } } = cursor ?? {};
  const { run } = soFar;
  const counts = { redriven: soFar.redriven + redriven, skipped: soFar.skipped + skipped };
  if (counts.redriven === 0) return { run, ...counts };
  const { definition, message } = filter;
  // A message can quote a payload, which is not kept for so long.
  const shown = { ...filter, ...(message !== undefined && { message: maskMessage(message) }) };
  const id = await context.runtime.hash(JSON.stringify([run, by, via, shown]));
  const event = { action: "redrive-many", ...present({ definition }), redriven } as const;
  const facts = { filter: shown, ...counts, ...(keepCheckpoint && { keepCheckpoint }), ...end };
  await recordAction(context, { id, event, facts }, { by, via });
  return { run, ...counts };
}

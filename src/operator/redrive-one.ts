import { v7 } from "uuid";
import { fromBase64Url } from "../contract/base64url.js";
import { flag } from "../contract/option-values.js";
import { type OptionTable, present, readOptions } from "../contract/options.js";
import type { OperationEvent } from "../ports/observer.js";
import type { ListedOperation } from "../ports/operation-reads.js";
import type { RedriveResult } from "../ports/operation-store.js";
import type { Runtime } from "../ports/runtime.js";
import { ACTION_OPTIONS, type ActionOptions, recordAction } from "./act.js";
import { checkKnown, type OperatorContext } from "./context.js";
import { type OperationDetails, readDetails } from "./details.js";
import { checkKeepsCheckpoint } from "./keep-checkpoint.js";
import type { OperatorStatus } from "./summary.js";

/** Options of a redrive. */
export interface OperatorRedriveOptions extends ActionOptions {
  /**
   * If true, the work continues from the last checkpoint of the failed operation, if there is one, although its `operationId` is
   * another one. Only for definitions without `chunk`. Default: false; the work starts over.
   */
  readonly keepCheckpoint?: boolean;
}

/** How the options of each redrive are read. */
export const REDRIVE_OPTIONS: OptionTable<ActionOptions & { readonly keepCheckpoint: boolean }> = {
  ...ACTION_OPTIONS,
  keepCheckpoint: flag(false),
};

/** Outcome of redriving one operation. */
export type OperatorRedriveResult =
  | {
      /** `redriven`: this call created the new operation. `already-redriven`: an earlier call did. */
      readonly outcome: "redriven" | "already-redriven";
      /** The new operation. */
      readonly operation: OperationDetails;
    }
  | {
      /**
       * - `unfinished`: the operation has not ended.
       * - `completed`: it completed.
       * - `no-work`: it failed before it became `pending`, so there is no work to run again.
       * - `unknown`: it does not exist.
       */
      readonly outcome: "unfinished" | "completed" | "no-work" | "unknown";
      readonly operation?: undefined;
    };

/** Runs one failed operation again: see `Operator.redrive`. */
export async function redriveOne(
  context: OperatorContext,
  operationId: string,
  options: OperatorRedriveOptions = {},
): Promise<OperatorRedriveResult> {
  const { keepCheckpoint, ...by } = readOptions(options, REDRIVE_OPTIONS, "operator.redrive");
  const failed = (await context.store.inspect(operationId))?.operation;
  if (failed === undefined) return { outcome: "unknown" };
  checkKnown(context, failed.definition);
  if (keepCheckpoint) checkKeepsCheckpoint(context, failed.definition);
  const { result, rung } = await redrive(context, failed, keepCheckpoint);
  if (result.outcome === "redriven" && result.created) {
    const facts = { retriedBy: result.operationId, ...(keepCheckpoint && { keepCheckpoint }) };
    await recordAction(context, { event: { action: "redrive", ...aboutOf(failed) }, facts }, by);
  }
  // A script may exit right after this.
  await rung;
  if (result.outcome === "not-redrivable") return { outcome: REFUSALS[result.state] };
  const successor =
    result.outcome === "redriven" ? await context.store.inspect(result.operationId) : undefined;
  // Both can be purged in the meantime.
  if (result.outcome === "unknown" || successor === undefined) return { outcome: "unknown" };
  const operation = await readDetails(context, successor);
  return { outcome: result.created ? "redriven" : "already-redriven", operation };
}

/** Why an operation in this state cannot run again. */
const REFUSALS = {
  preparing: "unfinished",
  pending: "unfinished",
  completed: "completed",
  failed: "no-work",
} as const satisfies Record<OperatorStatus, OperatorRedriveResult["outcome"]>;

/** Outcome of a redrive. `rung` resolves when the ring was published or has failed. */
interface Redriven {
  readonly result: RedriveResult;
  readonly rung: Promise<void>;
}

/** Creates the successor of a failed operation and rings for it if it is new. */
export async function redrive(
  context: OperatorContext,
  failed: ListedOperation,
  keepCheckpoint: boolean,
): Promise<Redriven> {
  const { id, definition, state, settledAt } = failed;
  const rung = Promise.resolve();
  if (settledAt === undefined) return { result: { outcome: "not-redrivable", state }, rung };
  const ids = await successorIds(context.runtime, { id, settledAt });
  const result = await context.store.redrive(id, keepCheckpoint ? { ...ids, keepCheckpoint } : ids);
  if (result.outcome !== "redriven" || !result.created) return { result, rung };
  const { operationId } = result;
  context.observe({ event: "operation.redriven", ...aboutOf(failed), operationId, retryOf: id });
  return { result, rung: context.bell.ring({ definition, operationId }) };
}

function aboutOf({ id, definition, tenant, principal }: ListedOperation): OperationEvent {
  return { operationId: id, definition, tenant, ...present({ principal }) };
}

/** A failed operation. Both members are immutable. */
interface Failed {
  readonly id: string;
  readonly settledAt: number;
}

/**
 * Derives the ids of the successor of a failed operation and of the successor's follow-up. They depend only on the
 * failed operation, so repeated and concurrent redrives ask for the same successor. Their timestamp is the end of the
 * failed operation, because any other time would differ between calls.
 */
async function successorIds(
  { hash }: Pick<Runtime, "hash">,
  failed: Failed,
): Promise<{ readonly id: string; readonly onEndId: string }> {
  const [id, onEndId] = await Promise.all([
    derive(hash, failed, "successor"),
    derive(hash, failed, "on-end"),
  ]);
  return { id, onEndId };
}

async function derive(hash: Runtime["hash"], { id, settledAt }: Failed, purpose: string): Promise<string> {
  return v7({ msecs: settledAt, random: bytesOf(await hash(`${purpose} ${id}`)) });
}

function bytesOf(base64url: string): Uint8Array {
  const text = fromBase64Url(base64url);
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

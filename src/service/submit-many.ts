import type { OperationDefinition } from "../contract/definition/definition.js";
import { AsyncReplyError, isAsyncReplyError } from "../contract/errors.js";
import { checkOptions, misuse, type OptionNames, shown } from "../contract/options.js";
import type { ServiceContext } from "../http/context.js";
import { reportAccepted } from "../operations/submission/accept.js";
import { type Accepted, toMessage } from "../operations/submission/accepted.js";
import type { CheckedSubmission } from "../operations/submission/earlier-operation.js";
import {
  inOwnCommit,
  inTransaction,
  type ManyOutcome,
  type RecordAll,
  recordMany,
} from "../operations/submission/record-many.js";
import { submitChannel, traced } from "../telemetry/channels.js";
import { checkPrincipal, knownDefinition, readCall } from "./call.js";
import { type GivenOptions, SUBMISSION_OPTIONS } from "./submission-options.js";
import { type AnySubmitOptions, check, type Submitted, toSubmitted } from "./submit.js";

/** Outcome of one item of `service.submitMany`. If you passed a transaction, it holds once the transaction commits. */
export type SubmitOutcome =
  /** The operation is new, or an earlier submission with the same key and input created it. */
  | (Submitted & { readonly outcome: "created" | "replayed" })
  /** Nothing was recorded for this item. `service.submit` would have rejected with this error. */
  | { readonly outcome: "refused"; readonly error: AsyncReplyError };

/** Item of {@link submitMany} for any back end. */
export interface AnySubmissionItem extends Omit<GivenOptions, "tenant"> {
  readonly input: unknown;
}

const { tenant: _, ...OF_ITEM } = SUBMISSION_OPTIONS;
const ITEM_OPTIONS: OptionNames<AnySubmissionItem> = { ...OF_ITEM, input: true };
const CALL_OPTIONS = { tenant: true, principal: true, tx: true } as const;

/** One statement holds this much, and no store blocks others with it for long. */
const MAX_ITEMS = 1_000;
const MAX_CHARACTERS = 16_777_216;
/** Number of items to check in one turn of the event loop. */
const AT_ONCE = 50;

/** Submits several items in one commit. See `Service.submitMany`. */
export async function submitMany(
  context: ServiceContext,
  definition: OperationDefinition,
  given: readonly AnySubmissionItem[],
  givenOptions: Pick<AnySubmitOptions, keyof typeof CALL_OPTIONS> | undefined,
): Promise<readonly SubmitOutcome[]> {
  const known = knownDefinition(context, definition);
  const options = readCall(context, "submitMany", givenOptions, CALL_OPTIONS);
  const { tenant, tx } = options;
  const items = [...checkItems(given)];
  const record = recorderOf(context, known, tx);
  const checking: Promise<CheckedSubmission>[] = [];
  let recording: Promise<ReadonlyMap<CheckedSubmission, ManyOutcome>> | undefined;

  async function recordChecked(): Promise<ReadonlyMap<CheckedSubmission, ManyOutcome>> {
    await begun;
    const settled = await Promise.allSettled(checking);
    const checked = settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    checkSize(checked);
    const outcomes = await recordMany(context, checked, record);
    for (const [own, outcome] of outcomes) {
      if ("refusal" in outcome) continue;
      if (tx === undefined) reportAccepted(context, own, outcome);
      else if (!outcome.replayed) context.minutes?.recorded([outcome.operationId]);
    }
    return outcomes;
  }

  /** Each item is a submission for subscribers, because each has its own trace. */
  const submitItem = (item: AnySubmissionItem, index: number): Promise<Accepted> =>
    traced(
      submitChannel,
      () => ({ definition: known.name, tenant }),
      async (message) => {
        const checked = checkItem(context, known, item, { ...options, index }, message?.meta);
        checking.push(checked);
        const own = await checked;
        recording ??= recordChecked();
        const outcome = (await recording).get(own) as ManyOutcome;
        if ("refusal" in outcome) throw outcome.refusal;
        return outcome;
      },
      toMessage,
    );

  const submitting: Promise<SubmitOutcome>[] = [];
  const begin = async (): Promise<void> => {
    for (const [index, item] of items.entries()) {
      if (index > 0 && index % AT_ONCE === 0) await context.runtime.pause();
      submitting.push(submitItem(item, index).then(toOutcome, toRefused));
    }
  };
  const begun = begin();
  await begun;
  const outcomes = await Promise.all(submitting);
  // Throws an error that concerns all of them.
  await recording;
  return outcomes;
}

function checkItems(items: unknown): readonly AnySubmissionItem[] {
  if (!Array.isArray(items))
    throw misuse(
      `The items of service.submitMany must be an array of objects such as \`{ input, key }\`, not ${shown(items)}.`,
    );
  if (items.length <= MAX_ITEMS) return items;
  throw misuse(
    `service.submitMany takes at most ${MAX_ITEMS} items, not ${items.length}. Divide them among several calls.`,
  );
}

function checkSize(list: readonly CheckedSubmission[]): void {
  const size = list.reduce((sum, { submission }) => sum + submission.operation.input.length, 0);
  if (list.length <= 1 || size <= MAX_CHARACTERS) return;
  throw misuse(
    `The inputs of service.submitMany may have ${MAX_CHARACTERS} characters of JSON together, not ${size}. Divide the items ` +
      "among several calls.",
  );
}

/** Returns the function that records in one commit. */
function recorderOf(context: ServiceContext, { name }: OperationDefinition, tx: unknown): RecordAll {
  if (Object.hasOwn(context.create, name))
    throw misuse(
      `The service creates the resource of "${name}" before the reply, and \`create\` runs for one submission at a time. ` +
        "Call `service.submit` for each item instead.",
    );
  return tx === undefined ? inOwnCommit(context) : inTransaction(context.backend, tx);
}

/** Checks everything about an item that needs no store. */
async function checkItem(
  context: ServiceContext,
  definition: OperationDefinition,
  item: AnySubmissionItem,
  {
    tenant,
    principal,
    index,
  }: { readonly tenant: string; readonly principal?: string | undefined; readonly index: number },
  meta: CheckedSubmission["submission"]["operation"]["meta"],
): Promise<CheckedSubmission> {
  checkOptions(item, ITEM_OPTIONS, "service.submitMany", `items[${index}]`);
  checkPrincipal(item.principal);
  const options = { ...item, tenant, principal: item.principal ?? principal };
  return check(context, definition, item.input, options, meta);
}

function toOutcome(accepted: Accepted): SubmitOutcome {
  return { outcome: accepted.replayed ? "replayed" : "created", ...toSubmitted(accepted) };
}

function toRefused(thrown: unknown): SubmitOutcome {
  if (isAsyncReplyError(thrown)) return { outcome: "refused", error: thrown };
  const detail = "The item could not be checked. The `cause` of this error says why.";
  return { outcome: "refused", error: new AsyncReplyError("INTERNAL", detail, { cause: thrown }) };
}

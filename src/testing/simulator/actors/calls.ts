import { isAsyncReplyError } from "../../../contract/errors.js";
import type { SubmitOptions } from "../../../service/service.js";
import type { Submitted } from "../../../service/submit.js";
import type { SubmitOutcome } from "../../../service/submit-many.js";
import { judgeSubmitted } from "../ledger/answers.js";
import type { Request } from "../ledger/payloads.js";
import type { Stage } from "../stage.js";
import type { Api } from "./actors.js";
import { type Answer, chooseDraft, type Draft, describeDraft, toRequest } from "./drafts.js";
import { createsBeforeReply } from "./work.js";

/** Errors after which a call can be repeated. */
const RETRYABLE = ["SUBMISSION_UNCERTAIN", "STORE_UNAVAILABLE", "CREATION_FAILED"];
/** Number of other drafts in a list, at most. */
const OTHERS = 3;
/** Errors that mean that another process is handling the same submission. */
const IN_PROGRESS = ["SUBMISSION_IN_PROGRESS", "CREATION_IN_PROGRESS"];

/** Submits with a call in a process, sometimes with a delay. */
export async function submitByCall(stage: Stage, { service, process }: Api, draft: Draft): Promise<Answer> {
  const { world } = stage;
  const delayMs = chooseDelay(stage, draft);
  const request = toRequest(stage, draft, delayMs);
  const call = service.submit(draft.definition, draft.input as never, optionsOf(request));
  const answer = call.then(
    (submitted) => recordAccepted(stage, request, submitted),
    (error: unknown) => judgeRejected(stage, request, error) ?? unexpected(stage, error),
  );
  const delay = delayMs === undefined ? "" : ` in ${delayMs / 1_000} s`;
  const died = process.death.then(() => "retry" as const);
  const outcome = await Promise.race([answer, died]);
  world.note(
    `${process.name}: submit ${describeDraft(draft)}${delay} -> ${typeof outcome === "string" ? outcome : outcome.id}`,
  );
  return outcome;
}

/** Submits a draft with others of its definition in one commit, sometimes with the same key. */
export async function submitInList(stage: Stage, { service, process }: Api, draft: Draft): Promise<Answer> {
  const { world } = stage;
  const { definition, tenant, principal } = draft;
  const caller = { name: principal, tenant };
  const others = Array.from({ length: OTHERS }, () => chooseDraft(stage, caller)).filter(
    (each) => each.definition.name === definition.name,
  );
  const drafts = world.choices.choose(2) === 0 ? [draft, ...others] : [...others, draft];
  const requests = drafts.map((each) => toRequest(stage, each, chooseDelay(stage, each)));
  const items = requests.map((each, index) => ({ input: drafts[index]?.input as never, ...itemOf(each) }));
  const answersOf = (outcomes: readonly SubmitOutcome[]): readonly Answer[] =>
    outcomes.map((each, index) => {
      const request = requests[index] as Request;
      if (each.outcome !== "refused") return recordAccepted(stage, request, each);
      return judgeRejected(stage, request, each.error) ?? unexpected(stage, each.error);
    });
  const answers = service
    .submitMany(definition, items, { tenant })
    .then(answersOf, (error: unknown) =>
      requests.map((each) => judgeRejected(stage, each, error) ?? unexpected(stage, error)),
    );
  const died = process.death.then((): readonly Answer[] => []);
  const answered = await Promise.race([answers, died]);
  const told = answered.map((each) => (typeof each === "string" ? each : each.id));
  world.note(`${process.name}: submit ${drafts.map(describeDraft).join(", ")} in one commit -> ${told}`);
  return answered[drafts.indexOf(draft)] ?? "retry";
}

/** Returns the options of a call. */
export function optionsOf(request: Request): SubmitOptions<never> {
  return { tenant: request.tenant, ...itemOf(request) };
}

/** Returns the options of an item of a call for several submissions. */
export function itemOf({
  principal,
  key,
  delayMs,
}: Request): Pick<SubmitOptions<never>, "principal" | "key" | "delayMs"> {
  return {
    principal,
    ...(key === undefined ? {} : { key }),
    ...(delayMs === undefined ? {} : { delayMs }),
  };
}

/** Records that a call was accepted, and judges what it returned. */
export function recordAccepted({ ledger }: Stage, request: Request, submitted: Submitted): Answer {
  const { operationId: id } = submitted;
  ledger.promised(request, submitted);
  judgeSubmitted(ledger, { id, tenant: request.tenant, moment: request.moment }, submitted);
  return { id };
}

/**
 * Judges the error of a call. Returns `refused` for a final error, `retry` for a temporary one, and `undefined` for an
 * error that a call must never have.
 */
export function judgeRejected({ ledger }: Stage, request: Request, error: unknown): Answer | undefined {
  const code = isAsyncReplyError(error) ? error.code : "";
  if (RETRYABLE.includes(code)) return "retry";
  if (IN_PROGRESS.includes(code)) {
    ledger.keys.refusedAsInProgress(request);
    return "retry";
  }
  if (code === "TOO_MANY_PENDING") {
    ledger.keys.refusedAsFull(request);
    return "full";
  }
  if (code === "IDEMPOTENCY_KEY_REUSED") ledger.payloads.refusedAsReused(request);
  return code === "IDEMPOTENCY_KEY_REUSED" || code === "CONTRACT_VIOLATION" ? "refused" : undefined;
}

function unexpected({ ledger }: Stage, error: unknown): Answer {
  ledger.violated("I3", `submit() rejected with an unexpected error: ${String(error)}`);
  return "refused";
}

/** Chooses a delay in milliseconds. An order that is created before the reply cannot have one. */
export function chooseDelay(stage: Stage, { definition }: Draft): number | undefined {
  if (createsBeforeReply(stage, definition.name)) return undefined;
  const delay = stage.world.choices.weighted([
    ["none", 4],
    ["short", 1],
    ["long", 1],
  ]);
  return { none: undefined, short: 5_000, long: 60_000 }[delay];
}

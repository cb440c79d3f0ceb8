import { isAsyncReplyError } from "../../../contract/errors.js";
import type { SubmitOptions } from "../../../service/service.js";
import type { Submitted } from "../../../service/submit.js";
import { judgeSubmitted } from "../ledger/answers.js";
import type { Request } from "../ledger/payloads.js";
import type { Stage } from "../stage.js";
import type { Api } from "./actors.js";
import { type Answer, type Draft, describeDraft, toRequest } from "./drafts.js";
import { createsBeforeReply } from "./work.js";

/** Errors after which a call can be repeated. */
const RETRYABLE = ["SUBMISSION_UNCERTAIN", "STORE_UNAVAILABLE", "CREATION_FAILED"];
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

/** Returns the options of a call. */
export function optionsOf({ tenant, principal, key, delayMs }: Request): SubmitOptions<never> {
  return {
    tenant,
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

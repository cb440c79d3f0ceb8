import { isAsyncReplyError } from "../../../contract/errors.js";
import type { SubmitOptions } from "../../../http/context.js";
import type { Submitted } from "../../../in-process/submit.js";
import { judgeSubmitted } from "../ledger/answers.js";
import type { Request } from "../ledger/payloads.js";
import type { Stage } from "../stage.js";
import type { Api } from "./actors.js";
import { type Answer, about, type Draft, toRequest } from "./drafts.js";
import { createsBeforeReply } from "./work.js";

/** Errors after which a call may be repeated. */
const PASSING = ["SUBMISSION_UNCERTAIN", "STORE_UNAVAILABLE", "CREATION_FAILED"];
/** Errors that say that somebody else is at it. */
const WAITING = ["SUBMISSION_IN_PROGRESS", "CREATION_IN_PROGRESS"];

/** Submits by a call in a process, now and then with a delay. */
export async function submitByCall(stage: Stage, { service, process }: Api, draft: Draft): Promise<Answer> {
  const { world } = stage;
  const delayMs = chooseDelay(stage, draft);
  const request = toRequest(stage, draft, delayMs);
  const call = service.submit(draft.definition, draft.input as never, optionsOf(request));
  const answer = call.then(
    (submitted) => accepted(stage, request, submitted),
    (error: unknown) => rejected(stage, request, error) ?? unexpected(stage, error),
  );
  const delay = delayMs === undefined ? "" : ` in ${delayMs / 1_000} s`;
  const died = process.death.then(() => "again" as const);
  const told = await Promise.race([answer, died]);
  world.note(
    `${process.name}: submit ${about(draft)}${delay} -> ${typeof told === "string" ? told : told.id}`,
  );
  return told;
}

/** The options of a call. */
export function optionsOf({ tenant, key, delayMs }: Request): SubmitOptions<never> {
  return {
    tenant,
    ...(key === undefined ? {} : { key }),
    ...(delayMs === undefined ? {} : { delayMs }),
  };
}

/** Notes that a call was accepted. */
export function accepted({ ledger }: Stage, request: Request, submitted: Submitted): Answer {
  const { operationId: id } = submitted;
  ledger.promised(request, submitted);
  judgeSubmitted(ledger, { id, tenant: request.tenant, moment: request.moment }, submitted);
  return { id };
}

/** Judges why a call was rejected: by a refusal, or by something that passes. Undefined if it is neither. */
export function rejected({ ledger }: Stage, request: Request, error: unknown): Answer | undefined {
  const code = isAsyncReplyError(error) ? error.code : "";
  if (PASSING.includes(code)) return "again";
  if (WAITING.includes(code)) {
    ledger.toldToWait(request);
    return "again";
  }
  if (code === "IDEMPOTENCY_KEY_REUSED") ledger.reused(request);
  return code === "IDEMPOTENCY_KEY_REUSED" || code === "CONTRACT_VIOLATION" ? "refused" : undefined;
}

function unexpected({ ledger }: Stage, error: unknown): Answer {
  ledger.violated("I3", `a call was rejected with ${String(error)}`);
  return "refused";
}

/** What is created before the reply cannot be delayed. */
export function chooseDelay(stage: Stage, { definition }: Draft): number | undefined {
  if (createsBeforeReply(stage, definition.name)) return undefined;
  const delay = stage.world.choices.weighted([
    ["none", 4],
    ["short", 1],
    ["long", 1],
  ]);
  return { none: undefined, short: 5_000, long: 60_000 }[delay];
}

import type { OperationDefinition } from "../contract/definition/definition.js";
import { readStartWithin } from "../contract/definition/start-within.js";
import { checkUrgency } from "../contract/definition/urgency.js";
import { AsyncReplyError, isAsyncReplyError } from "../contract/errors.js";
import { parseIdempotencyKey } from "../contract/idempotency-key.js";
import { parseStored, toJsonText } from "../contract/json/json-text.js";
import type { JsonText } from "../contract/operation.js";
import { invalidOption, longDurationMs, misuse, type OptionNames } from "../contract/options.js";
import { parseStrictJson } from "../formats/strict-json.js";
import type { ServiceContext } from "../http/context.js";
import { accept, reportAccepted } from "../operations/submission/accept.js";
import { type Accepted, toMessage } from "../operations/submission/accepted.js";
import { checkPayload } from "../operations/submission/check-payload.js";
import { recordIn } from "../operations/submission/creation/record-in.js";
import type { CheckedSubmission } from "../operations/submission/earlier-operation.js";
import { toSubmission } from "../operations/submission/to-submission.js";
import type { Principal } from "../ports/authorize.js";
import type { CreatedResource } from "../ports/create.js";
import { checkKeeps } from "../protocol/kept.js";
import { submitChannel, traced } from "../telemetry/channels.js";
import { knownDefinition, readCall } from "./call.js";

/** Options of {@link submit} for any back end. */
export interface AnySubmitOptions {
  readonly tenant?: string | undefined;
  readonly principal?: string | undefined;
  readonly key?: string | undefined;
  readonly delayMs?: number | undefined;
  readonly startWithinMs?: number | undefined;
  readonly urgency?: number | undefined;
  readonly webhookUrl?: string | undefined;
  readonly tx?: unknown;
}

/** Names of the options that every submission takes. */
export const SUBMISSION_OPTIONS: OptionNames<Omit<AnySubmitOptions, "tx">> = {
  tenant: true,
  principal: true,
  key: true,
  delayMs: true,
  startWithinMs: true,
  urgency: true,
  webhookUrl: true,
};

/** Result of a submission. If you passed a transaction, it holds once the transaction commits. */
export interface Submitted {
  /** Id for `service.get`, `service.cancel` and the status endpoint. */
  readonly operationId: string;
  /** Status of the operation: `pending`, or the status of the earlier operation with this key. */
  readonly status: "pending" | "completed" | "failed";
  /** Whether an earlier submission used the same key. */
  readonly replayed: boolean;
  /** Resource, if the service creates it before it replies. */
  readonly resource?: CreatedResource;
}

/** Submits work without HTTP. See `Service.submit`. */
export async function submit(
  context: ServiceContext,
  definition: OperationDefinition,
  input: unknown,
  given: AnySubmitOptions | undefined,
): Promise<Submitted> {
  const known = knownDefinition(context, definition);
  const options = readCall(context, "submit", given, { ...SUBMISSION_OPTIONS, tx: true });
  const { tenant, tx } = options;
  const accepted = await traced(
    submitChannel,
    () => ({ definition: known.name, tenant }),
    async (message) => {
      const checked = await check(context, known, input, options, message?.meta);
      if (tx !== undefined) return recordIn(context, checked, tx);
      const recorded = await accept(context, checked);
      reportAccepted(context, checked, recorded);
      return recorded;
    },
    toMessage,
  );
  return toSubmitted(accepted);
}

/** Checks everything about a submission that needs no store. */
export async function check(
  context: ServiceContext,
  definition: OperationDefinition,
  given: unknown,
  options: AnySubmitOptions & { readonly tenant: string },
  meta: JsonText | undefined,
): Promise<CheckedSubmission> {
  const { runtime, settings } = context;
  const { tenant, principal, key, delayMs, startWithinMs, urgency, webhookUrl } = options;
  // First, because the caller may change its object as soon as this function waits.
  const value = parseStrictJson(toText(given, settings.maxBodyBytes), settings);
  const payload = await checkPayload(definition, { value }, runtime.hash);
  const request = {
    definition,
    tenant,
    principal,
    key: readKey(key, definition),
    delayMs: readDelay(context, delayMs, definition),
    startWithinMs: readDeadline(context, startWithinMs),
    urgency: urgency === undefined ? undefined : checkUrgency("urgency", urgency),
    webhookUrl:
      webhookUrl === undefined
        ? undefined
        : await checkUrl(context, webhookUrl, { id: principal ?? tenant, tenant }),
    meta,
  };
  return { definition, submission: toSubmission(context, request, payload), output: payload.output };
}

/** Keys follow the rules of the header field. */
function readKey(key: string | undefined, definition: OperationDefinition): string | undefined {
  if (key !== undefined && typeof key !== "string") throw invalidOption("key", "text", key);
  if (key !== undefined) return parseIdempotencyKey(`"${key.replace(/["\\]/g, "\\$&")}"`);
  if (definition.idempotencyKey === "optional") return undefined;
  throw new AsyncReplyError("MISSING_IDEMPOTENCY_KEY", `The definition "${definition.name}" requires a key.`);
}

function readDelay(
  { create }: ServiceContext,
  delayMs: number | undefined,
  { name }: OperationDefinition,
): number | undefined {
  if (delayMs === undefined || delayMs === 0) return undefined;
  if (Object.hasOwn(create, name))
    throw invalidOption(
      "delayMs",
      `absent, because "${name}" creates its resource before the reply`,
      delayMs,
    );
  return longDurationMs("delayMs", delayMs, 0);
}

function readDeadline({ backend }: ServiceContext, startWithinMs: number | undefined): number | undefined {
  const read = readStartWithin(startWithinMs, "startWithinMs");
  if (read !== undefined) checkKeeps(backend.operations, "deadlines", "The call has `startWithinMs`");
  return read;
}

/** Checks the receiver of the webhook like that of a request. If code names no principal, the tenant is the caller. */
async function checkUrl(
  { webhooks, runtime, settings }: ServiceContext,
  url: string,
  caller: Required<Principal>,
): Promise<string> {
  if (webhooks === undefined)
    throw invalidOption("webhookUrl", "absent, because the service has no `webhooks`", url);
  try {
    const limit = { clock: runtime.clock, timeoutMs: settings.authorizeTimeoutMs };
    return await webhooks.checkUrl(url, caller, limit);
  } catch (error) {
    const isMistake = isAsyncReplyError(error) && error.code === "INVALID_HEADER";
    throw isMistake ? misuse(error.context.eventDetail ?? error.detail) : error;
  }
}

function toText(given: unknown, maxBytes: number): JsonText {
  try {
    return toJsonText(given, maxBytes, "maxBodyBytes");
  } catch (cause) {
    throw new AsyncReplyError("MALFORMED_BODY", (cause as AsyncReplyError).detail, { cause });
  }
}

/** Returns an accepted submission in the form for users. */
export function toSubmitted({ operationId, operation, replayed, resource }: Accepted): Submitted {
  const { state = "pending" } = operation ?? {};
  const status = state === "preparing" ? "pending" : state;
  if (resource === undefined) return { operationId, status, replayed };
  return { operationId, status, replayed, resource: parseStored(resource) as CreatedResource };
}

import type { OperationDefinition } from "../contract/definition/definition.js";
import { readStartWithin } from "../contract/definition/start-within.js";
import { checkUrgency } from "../contract/definition/urgency.js";
import { AsyncReplyError, isAsyncReplyError } from "../contract/errors.js";
import { parseIdempotencyKey } from "../contract/idempotency-key.js";
import type { JsonText } from "../contract/operation.js";
import { longDurationMs } from "../contract/option-values.js";
import { invalidOption, misuse, type OptionNames, present } from "../contract/options.js";
import type { ServiceContext } from "../http/context.js";
import type { SubmissionRequest } from "../operations/submission/to-submission.js";
import type { Principal } from "../ports/authorize.js";
import { checkKeeps } from "../protocol/kept.js";

/** Options of every submission in process. */
export interface SubmissionOptions {
  /** Tenant that owns the operation and its key. The rules are those of `tenant` in `Principal`. */
  readonly tenant: string;
  /**
   * Id of the principal on whose behalf your code submits, for `job.principal` and events: 1 to 255 UTF-16 code units,
   * well-formed and without NUL. It must not be a credential. If the key was used before, the first one counts. Default:
   * none.
   */
  readonly principal?: string;
  /** Idempotency key, without quotes: 1 to 255 printable ASCII characters. Default: none. */
  readonly key?: string;
  /** Time from the submission until the work is due. Milliseconds, at most 100 years. Default: 0. */
  readonly delayMs?: number;
  /**
   * Time within which a worker must start the work, counted from when it is due. Otherwise the operation fails with the
   * problem `expired`, and nothing runs. If the key was used before, the first time counts. Milliseconds, from 1 s to 100
   * years. Default: `startWithinMs` of the definition.
   */
  readonly startWithinMs?: number;
  /**
   * Order in which the work begins if more is due than workers have slots: 0 first, 7 last. It can be one that
   * clients cannot choose. If the key was used before, the first one counts. Default: `urgency` of the definition.
   */
  readonly urgency?: number;
  /**
   * Receiver of the webhook, like `Webhook-URL` of a request. `allow` of the webhooks gets `principal` as the id of the
   * caller, or the tenant if you name no principal. If the key was used before, the first URL counts. Default: the endpoint of the tenant.
   */
  readonly webhookUrl?: string;
}

/** {@link SubmissionOptions} as a caller may pass them. */
export type GivenOptions = {
  readonly [Name in keyof SubmissionOptions]?: SubmissionOptions[Name] | undefined;
};

/** Names of the options that every submission takes. */
export const SUBMISSION_OPTIONS: OptionNames<GivenOptions> = {
  tenant: true,
  principal: true,
  key: true,
  delayMs: true,
  startWithinMs: true,
  urgency: true,
  webhookUrl: true,
};

/** Reads the options of a submission. Rejects with `INVALID_OPTION`, and with the errors of keys and receivers of webhooks. */
export async function readSubmission(
  context: ServiceContext,
  definition: OperationDefinition,
  options: GivenOptions & { readonly tenant: string },
  meta: JsonText | undefined,
): Promise<SubmissionRequest> {
  const { tenant, principal, key, delayMs, startWithinMs, urgency, webhookUrl } = options;
  return {
    definition,
    tenant,
    chosen: present({
      principal,
      key: readKey(key, definition),
      delayMs: readDelay(context, delayMs, definition),
      meta,
    }),
    startWithinMs: readDeadline(context, startWithinMs),
    urgency: urgency === undefined ? undefined : checkUrgency("urgency", urgency),
    webhookUrl:
      webhookUrl === undefined
        ? undefined
        : await checkUrl(context, webhookUrl, { id: principal ?? tenant, tenant }),
  };
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

import { isAsyncReplyError, textOf } from "../contract/errors.js";
import { shortenedTo } from "../contract/plain-text.js";
import type { ServiceEvent } from "../ports/observer.js";

/** Returns an event as one line of text: a sentence, then its fields. */
export function toLine(event: ServiceEvent): string {
  const fields = Object.entries(fieldsOf(event)).filter(([, value]) => value !== undefined);
  const text = fields.map(([name, value]) => `${name}=${typeof value === "string" ? quoted(value) : value}`);
  return [`${event.event}: ${sentenceOf(event)}`, ...text].join(" ");
}

/** Returns the error code of an event, or undefined. */
export function codeOf(event: ServiceEvent): string | undefined {
  if (event.event === "request.refused") return event.code;
  return "error" in event && isAsyncReplyError(event.error) ? event.error.code : undefined;
}

function sentenceOf(event: ServiceEvent): string {
  switch (event.event) {
    case "operation.retried":
      return `The attempt failed. It will be retried in ${event.delayMs} ms.`;
    case "operation.failed":
      return "The operation failed.";
    case "operation.expired":
      return "No worker started the work within `startWithinMs`, so the operation failed.";
    case "attempt.lost":
      return "The attempt lost its lease, so its outcome was dropped.";
    case "progress.dropped":
      return "A value passed to `job.progress` was dropped. The work goes on, and clients see the progress before it.";
    case "webhook.postponed":
      return `The origin ${event.origin} timed out repeatedly. No webhooks of tenant ${event.tenant} are sent to it for ${event.delayMs} ms.`;
    case "operation.abandoned":
      return "An unfinished submission was ended.";
    case "request.refused":
      return `A request was answered with status ${event.status}.`;
    case "background.failed":
      return `The step \`${event.step}\` failed. It will be retried.`;
    case "definition.unattended":
      return unattended(event.due, event.oldestDueMs);
    case "service.memory-only":
      return event.inProduction ? MEMORY_IN_PRODUCTION : MEMORY_ONLY;
    case "service.no-authorize":
      return NO_AUTHORIZE;
    default:
      return "";
  }
}

function unattended(due: number, oldestDueMs: number): string {
  const seconds = Math.round(oldestDueMs / 1_000);
  return (
    `No worker runs operations of this definition: ${due} are due, the oldest for ${seconds} s. ` +
    "Pass a processor for it to createWorker() in one of your processes, and call start() of that worker."
  );
}

const MEMORY_ONLY =
  "The service has no `backend`, so operations are kept in memory and are lost when the process ends. Pass a back end " +
  "such as `createPostgresBackend({ pool })`, or `createMemoryBackend()` if this is intended.";

const MEMORY_IN_PRODUCTION =
  "NODE_ENV is `production`, and the service keeps everything in memory. When this process ends, crashes or is deployed " +
  "again, all operations, their results and their idempotency keys are lost, accepted ones included. " +
  "No other process sees them. Pass a durable `backend`: `createPostgresBackend({ pool })` from async-request-reply/postgres, " +
  "or `createSqliteBackend({ database })` from async-request-reply/sqlite.";

const NO_AUTHORIZE =
  "The service has no `authorize`, so it refuses every HTTP request with status 500. Pass a hook such as " +
  "`bearer(verify)` to createService(), or `allowAnonymous()` to allow everyone.";

function fieldsOf(event: ServiceEvent): Readonly<Record<string, string | number | undefined>> {
  const { operationId, definition, tenant, principal, attempt, method, route } = event as Partial<
    Extract<ServiceEvent, { readonly event: "operation.failed" }> &
      Extract<ServiceEvent, { readonly event: "request.refused" }>
  >;
  const about = {
    operation: operationId,
    definition,
    tenant,
    principal,
    attempt,
    method,
    route,
    code: codeOf(event),
  };
  if (!("error" in event) || event.error === undefined) return about;
  const { error } = event;
  return {
    ...about,
    error: describeError(error),
    cause: describeCauses(error),
    stack: isUnexpected(event) ? describeStack(error) : undefined,
  };
}

/** Returns whether an error is a bug of the service that needs a stack trace to explain it. */
function isUnexpected(event: ServiceEvent): boolean {
  if (event.event !== "request.refused" && event.event !== "background.failed") return false;
  return (
    !isAsyncReplyError(event.error) && (event.event === "background.failed" || event.code === "INTERNAL")
  );
}

/** Quotes a text unless it is one plain word. Removes line breaks and control characters. */
function quoted(text: string): string {
  if (/^[\w.:-]+$/.test(text)) return text;
  return JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029]/g, " ");
}

const MAX_TEXT = 500;
const MAX_FRAMES = 6;
const MAX_CAUSES = 3;

/** Returns the name, code and message of any thrown value. Never throws. */
function describeError(error: unknown): string {
  return readSafely(() => {
    if (typeof error !== "object" || error === null) return textOf(error);
    if (isAsyncReplyError(error)) return error.message;
    const { name, message, code } = error as { readonly [member: string]: unknown };
    const known = typeof name === "string" ? name : "Error";
    // Node's error has no message if it tried several addresses.
    const shown = typeof code === "string" ? `${known} ${code}` : known;
    return typeof message === "string" && message !== "" ? `${shown}: ${message}` : shown;
  });
}

/** Returns a description of the causes of an error, from the outside in, or undefined. Never throws. */
function describeCauses(error: unknown): string | undefined {
  const causes: string[] = [];
  for (let cause = causeOf(error); cause !== undefined && causes.length < MAX_CAUSES; cause = causeOf(cause))
    causes.push(describeError(cause));
  return causes.length === 0 ? undefined : causes.join(" < ");
}

function causeOf(error: unknown): unknown {
  try {
    return (error as { readonly cause?: unknown } | null | undefined)?.cause;
  } catch {
    return undefined;
  }
}

/** Returns the innermost stack frames of an error as one line, or undefined. Never throws. */
function describeStack(error: unknown): string | undefined {
  try {
    const { stack } = error as { readonly stack?: unknown };
    if (typeof stack !== "string") return undefined;
    const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
    return frames.length === 0
      ? undefined
      : frames
          .slice(0, MAX_FRAMES)
          .map((line) => line.trim())
          .join(" < ");
  } catch {
    return undefined;
  }
}

function readSafely(read: () => string): string {
  try {
    const text = read();
    return text.length > MAX_TEXT ? `${shortenedTo(text, MAX_TEXT)}…` : text;
  } catch {
    return "an unreadable error";
  }
}

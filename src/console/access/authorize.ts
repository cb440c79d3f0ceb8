import { AsyncReplyError, forbidden, unauthenticated } from "../../contract/errors.js";
import { PRINCIPAL_RULE, tenantProblem } from "../../contract/operation.js";
import { shown } from "../../contract/options.js";
import { denial, seenByHooks, unavailable } from "../../http/access/admit-request.js";
import { header, refuseManyFields, singleHeader } from "../../http/message/headers.js";
import type { HttpRequest } from "../../http/message/message.js";
import { withinTime } from "../../platform/waits.js";
import type { AuthorizationRequest } from "../../ports/authorize.js";
import type { Clock } from "../../ports/runtime.js";

/**
 * Permissions of a caller. `observe`: read everything but payloads and output. `operate`: also read these, cancel, redrive, pause
 * and resume.
 */
export type ConsoleAccess = "observe" | "operate";

/** A caller with a name, which others see in what the caller did. */
export interface ConsoleCaller {
  /** Permissions of the caller. */
  readonly access: ConsoleAccess;
  /** Id of the caller: 1 to 255 UTF-16 code units. Default: none. */
  readonly id?: string | undefined;
}

/**
 * Authorizes a request to the console, before anything else is done with it. If it returns nothing or throws
 * `unauthenticated()`, the reply is a 401; if it throws `forbidden()`, a 403. Any other error and a timeout are a 503.
 */
export interface ConsoleAuthorize {
  (request: AuthorizationRequest): ConsoleAnswer | PromiseLike<ConsoleAnswer>;
  /** Value of `WWW-Authenticate` in a 401 (RFC 9110 §11.6.1). Default: `Bearer`. */
  readonly challenge?: string;
}

/** Answer of {@link ConsoleAuthorize}. Without a caller, the reply is a 401. */
export type ConsoleAnswer = ConsoleAccess | ConsoleCaller | undefined | null;

const TIMEOUT_MS = 10_000;

/**
 * Returns the caller of a request.
 *
 * Throws `TOO_MANY_HEADER_FIELDS`, `INVALID_HEADER`, `UNAUTHENTICATED`, `FORBIDDEN`, `AUTHORIZATION_UNAVAILABLE`.
 */
export async function authorizeRequest(
  hook: ConsoleAuthorize,
  request: HttpRequest,
  clock: Clock,
): Promise<ConsoleCaller> {
  refuseManyFields(request);
  singleHeader(request.headers, "authorization");
  const tooLate = (): AsyncReplyError => unavailable(`\`authorize\` did not answer within ${TIMEOUT_MS} ms.`);
  try {
    return toCaller(
      await withinTime(Promise.resolve(hook(seenByHooks(request))), TIMEOUT_MS, clock, tooLate),
    );
  } catch (error) {
    throw denial(error, hook.challenge ?? "Bearer");
  }
}

function toCaller(answer: unknown): ConsoleCaller {
  if (answer === undefined || answer === null) throw unauthenticated();
  const { access = answer, id } = Object(answer) as { readonly access?: unknown; readonly id?: unknown };
  if (access !== "observe" && access !== "operate")
    throw unavailable(
      `\`authorize\` returned ${shown(answer)}, not "observe", "operate", \`{ access, id }\` with one of them, or nothing.`,
    );
  const problem = id === undefined ? undefined : tenantProblem(id);
  if (problem !== undefined)
    throw unavailable(`The \`id\` that \`authorize\` returned ${problem}. ${PRINCIPAL_RULE}`);
  return { access, id: id as string | undefined };
}

/**
 * Checks that a request for a change comes from the page of the console, because browsers add credentials to requests
 * of other sites too. Browsers send `Sec-Fetch-Site` to HTTPS and localhost only. Elsewhere, `Origin` has to match
 * `Host`. A form can send neither JSON nor these fields.
 *
 * Throws `FORBIDDEN`, `UNSUPPORTED_MEDIA_TYPE`.
 */
export function checkOrigin({ headers }: HttpRequest): void {
  const site = header(headers, "sec-fetch-site");
  const isOwn =
    site === undefined
      ? isHost(header(headers, "origin"), header(headers, "host"))
      : site.trim() === "same-origin";
  if (!isOwn)
    throw forbidden("Only the page of the console can change operations. In a script, use createOperator().");
  const [mediaType = ""] = (header(headers, "content-type") ?? "").split(";");
  if (mediaType.trim().toLowerCase() !== "application/json")
    throw new AsyncReplyError("UNSUPPORTED_MEDIA_TYPE", "Send the body as application/json.");
}

function isHost(origin: string | undefined, host: string | undefined): boolean {
  if (origin === undefined || host === undefined) return false;
  return origin === `https://${host}` || origin === `http://${host}`;
}

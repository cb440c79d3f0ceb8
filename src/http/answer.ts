import type { OperationDefinition } from "../contract/definition/definition.js";
import { AsyncReplyError, isAsyncReplyError } from "../contract/errors.js";
import type { Format } from "../formats/format.js";
import { jsonFormat } from "../formats/json.js";
import type { ServiceContext } from "./context.js";
import { header } from "./message/headers.js";
import type { HttpRequest, HttpResponse } from "./message/message.js";
import { toProblem } from "./message/problems.js";
import { problemReply } from "./message/reply.js";
import { problemFormat } from "./negotiation/reply-format.js";

/**
 * Runs a handler and turns anything it throws into a problem reply. The observer receives the full error. The client
 * receives only the problem, in the format it asked for. Never rejects.
 *
 * @param definition the definition of a submission, for formats whose problems point into the payload. Default: none.
 */
export async function answer(
  service: ServiceContext,
  request: HttpRequest,
  handler: () => Promise<HttpResponse>,
  definition?: OperationDefinition,
): Promise<HttpResponse> {
  const toReply = (error: unknown, format: Format): HttpResponse => {
    const problem = toProblem(error, service.settings.problemBaseUri);
    const negotiated = service.formats.length > 1;
    const reply = problemReply(problem, format, { negotiated, definition });
    const { status, code } = problem;
    service.observe({ event: "request.refused", status, code, error: toldError(error) });
    return reply;
  };
  try {
    return await service.lifecycle.run(handler);
  } catch (error) {
    try {
      return toReply(error, problemFormat(header(request.headers, "accept"), service.formats));
    } catch {
      // The error of a hook holds something that cannot be serialized, or a custom format throws.
      return toReply(new AsyncReplyError("INTERNAL", "", { cause: error }), jsonFormat);
    }
  }
}

/** Answers a request with an error. The observer receives it too. */
export function refuse(
  service: ServiceContext,
  request: HttpRequest,
  error: AsyncReplyError,
  definition?: OperationDefinition,
): Promise<HttpResponse> {
  return answer(service, request, () => Promise.reject(error), definition);
}

/** Returns the error for the event: the cause, unless the error itself has an `eventDetail` for operators. */
function toldError(error: unknown): unknown {
  if (!isAsyncReplyError(error) || error.context.eventDetail !== undefined) return error;
  return error.context.cause ?? error;
}

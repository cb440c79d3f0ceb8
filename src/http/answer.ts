import type { OperationDefinition } from "../contract/definition.js";
import { AsyncReplyError, isAsyncReplyError } from "../contract/errors.js";
import type { Format } from "../formats/format.js";
import { jsonFormat } from "../formats/json.js";
import type { Service } from "./context.js";
import { header } from "./message/headers.js";
import type { HttpRequest, HttpResponse } from "./message/message.js";
import { toProblem } from "./message/problems.js";
import { problemReply } from "./message/reply.js";
import { problemFormat } from "./negotiation/reply-format.js";

/**
 * Runs a handler that may throw and answers in any case: the observer gets the whole error, the client its problem, in the
 * format it asked for. The definition is the one that was submitted to, for formats whose problems point into a payload.
 */
export async function answer(
  service: Service,
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
      // What a hook put into its error cannot be written, or a format of the user's throws.
      return toReply(new AsyncReplyError("INTERNAL", "", { cause: error }), jsonFormat);
    }
  }
}

/** Answers a request with an error, which the observer gets too. */
export function refuse(
  service: Service,
  request: HttpRequest,
  error: AsyncReplyError,
  definition?: OperationDefinition,
): Promise<HttpResponse> {
  return answer(service, request, () => Promise.reject(error), definition);
}

/** What an event carries: the cause of an error, unless the error says more to operators than its cause. */
function toldError(error: unknown): unknown {
  if (!isAsyncReplyError(error) || error.context.eventDetail !== undefined) return error;
  return error.context.cause ?? error;
}

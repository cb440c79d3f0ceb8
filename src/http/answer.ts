import type { OperationDefinition } from "../core/definition.js";
import { isAsyncReplyError } from "../core/errors.js";
import { problemFormat } from "../formats/accept.js";
import type { Service } from "./context.js";
import { header } from "./headers.js";
import type { HttpRequest, HttpResponse } from "./message.js";
import { toProblem } from "./problems.js";
import { problemReply } from "./reply.js";

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
  try {
    return await handler();
  } catch (error) {
    const problem = toProblem(error);
    const cause = isAsyncReplyError(error) ? (error.context.cause ?? error) : error;
    service.observe({ event: "request.refused", status: problem.status, code: problem.code, error: cause });
    return problemReply(problem, problemFormat(header(request.headers, "accept"), service.formats), {
      negotiated: service.formats.length > 1,
      definition,
    });
  }
}

import { isAsyncReplyError } from "../core/errors.js";
import type { Service } from "./context.js";
import { header } from "./headers.js";
import type { HttpRequest, HttpResponse } from "./message.js";
import { toProblem } from "./problems.js";
import { problemReply } from "./reply.js";

/** Runs a handler that may throw and answers in any case: the observer gets the whole error, the client its problem. */
export async function answer(
  service: Service,
  request: HttpRequest,
  handler: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  try {
    return await handler();
  } catch (error) {
    const problem = toProblem(error);
    const cause = isAsyncReplyError(error) ? (error.context.cause ?? error) : error;
    service.observe({ event: "request.refused", status: problem.status, code: problem.code, error: cause });
    return problemReply(problem, header(request.headers, "accept"), service.formats);
  }
}

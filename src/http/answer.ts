import { isAsyncReplyError } from "../core/errors.js";
import type { Service } from "./context.js";
import type { HttpResponse } from "./message.js";
import { toProblem } from "./problems.js";
import { problemReply } from "./reply.js";

/** Runs a handler that may throw and answers in any case: the observer gets the whole error, the client its problem. */
export async function answer(service: Service, handler: () => Promise<HttpResponse>): Promise<HttpResponse> {
  try {
    return await handler();
  } catch (error) {
    const problem = toProblem(error);
    const cause = isAsyncReplyError(error) ? (error.context.cause ?? error) : error;
    service.observe({ event: "request.refused", status: problem.status, code: problem.code, error: cause });
    return problemReply(problem);
  }
}

import { checkService } from "../../service/check-service.js";
import type { Mountable } from "../../service/service.js";
import { answer } from "./answer.js";
import type { LambdaEvent } from "./event.js";
import { type LambdaResult, toLambdaResult } from "./write-result.js";

/** Handler for Lambda. Rejects with `INVALID_OPTION` if the event is not an HTTP request. */
export type LambdaHandler = (event: LambdaEvent) => Promise<LambdaResult>;

/**
 * Mounts a service on AWS Lambda, behind function URLs, REST and HTTP APIs of API Gateway with payload formats 1.0 and
 * 2.0, and Application Load Balancers. The adapter only translates: the service chooses every status.
 *
 * The path is the one in the client's URL, so a stage that is part of the URL belongs into `basePath` of the service.
 *
 * Lambda freezes the process after the reply, so the reply waits until the service has rung for workers. Replies are sent as
 * a whole: turn streams off with `maxStreamMs: 0`, or use {@link toStreamingLambdaHandler}.
 *
 * Throws `INVALID_OPTION` if `service` is not a service.
 */
export function toLambdaHandler(service: Mountable): LambdaHandler {
  checkService(service, "toLambdaHandler", "handle");
  return async (event) => {
    const { reply, rung } = await answer(service, event);
    const result = await toLambdaResult(reply, event);
    await rung;
    return result;
  };
}

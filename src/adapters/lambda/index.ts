/**
 * Mounts a service on AWS Lambda, behind function URLs, API Gateway and Application Load Balancers.
 *
 * @module async-request-reply/lambda
 */

export type { LambdaEvent, LambdaEventV1, LambdaEventV2 } from "./event.js";
export { type LambdaHandler, toLambdaHandler } from "./to-lambda-handler.js";
export { type StreamingLambdaHandler, toStreamingLambdaHandler } from "./to-streaming-lambda-handler.js";
export type { LambdaResult } from "./write-result.js";

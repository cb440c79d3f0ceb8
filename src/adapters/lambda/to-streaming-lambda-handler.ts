import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { misuse } from "../../contract/options.js";
import type { HttpResponse } from "../../http/message/message.js";
import { isStream } from "../../http/message/reply.js";
import { toChunks } from "../../platform/streams.js";
import { checkService } from "../../service/check-service.js";
import type { Mountable } from "../../service/service.js";
import { answer } from "./answer.js";
import type { LambdaEvent } from "./event.js";

/** Handler for Lambda that streams replies. Lambda calls it with a stream as the second argument. */
export type StreamingLambdaHandler = (event: LambdaEvent, stream: Writable) => Promise<void>;

/** The parts of the global `awslambda` of the Node.js runtime that the adapter uses. */
interface LambdaRuntime {
  streamifyResponse(handler: StreamingLambdaHandler): StreamingLambdaHandler;
  readonly HttpResponseStream: {
    /** Returns the stream of a reply with this status and these fields, which are sent with the first chunk. */
    from(stream: Writable, head: { readonly statusCode: number; readonly headers: object }): Writable;
  };
}

/**
 * Mounts a service on AWS Lambda like `toLambdaHandler`, and streams each reply, so that clients get events while the
 * work runs. For function URLs with the invoke mode `RESPONSE_STREAM`, and REST APIs with response streaming. Lambda does not tell when a client disconnects, so a stream lasts until its end.
 *
 * Throws `INVALID_OPTION` if `service` is not a service, or outside of the Node.js runtime of Lambda.
 */
export function toStreamingLambdaHandler(service: Mountable): StreamingLambdaHandler {
  checkService(service, "toStreamingLambdaHandler", "handle");
  const { awslambda } = globalThis as { readonly awslambda?: LambdaRuntime };
  if (awslambda === undefined)
    throw misuse(
      "toStreamingLambdaHandler() needs the global `awslambda` of the Node.js runtime of Lambda, which is missing here. Call it in " +
        "the function, and use toLambdaHandler() elsewhere.",
    );
  return awslambda.streamifyResponse(async (event, stream) => {
    const { reply, rung } = await answer(service, event);
    const { status, headers, body } = reply;
    const response = awslambda.HttpResponseStream.from(stream, { statusCode: status, headers });
    // Lambda sends the status with the first chunk, and a reply may have none.
    response.write("");
    try {
      await pipeline(Readable.from(chunksOf(body)), response);
    } finally {
      await rung;
    }
  });
}

function chunksOf(body: HttpResponse["body"]): AsyncIterable<Uint8Array> | readonly (string | Uint8Array)[] {
  if (isStream(body)) return toChunks(body);
  return body === undefined ? [] : [body];
}

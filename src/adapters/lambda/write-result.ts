import { isUtf8 } from "node:buffer";
import type { HttpResponse } from "../../http/message/message.js";
import { type BodyStream, isStream } from "../../http/message/reply.js";
import { toChunks } from "../../platform/streams.js";
import type { LambdaEvent } from "./event.js";

/** Result of a function that is called with an HTTP request. */
export interface LambdaResult {
  /** Status code. */
  readonly statusCode: number;
  /** Header fields, unless they are in `multiValueHeaders`. */
  readonly headers?: Record<string, string>;
  /** Header fields in the form that the event has. Load balancers ignore the other form. */
  readonly multiValueHeaders?: Record<string, string[]>;
  /** Text of the body, or its bytes in Base64. Empty if the reply has no body. */
  readonly body: string;
  /** Whether the body is in Base64: only if it is not text. */
  readonly isBase64Encoded: boolean;
}

/** Returns a reply in the form that belongs to the event. Waits for the end of a stream. */
export async function toLambdaResult(
  { status, headers, body }: HttpResponse,
  event: LambdaEvent,
): Promise<LambdaResult> {
  const isMultiValue = "multiValueHeaders" in event && Boolean(event.multiValueHeaders);
  return {
    statusCode: status,
    ...(isMultiValue ? { multiValueHeaders: toMultiValue(headers) } : { headers: { ...headers } }),
    ...toText(isStream(body) ? await readAll(body) : Buffer.from((body ?? "") as string)),
  };
}

function toMultiValue(headers: HttpResponse["headers"]): Record<string, string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
}

async function readAll(body: BodyStream): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of toChunks(body)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Prefers text, because API Gateway only decodes Base64 if it is configured for binary media types. */
function toText(bytes: Buffer): Pick<LambdaResult, "body" | "isBase64Encoded"> {
  const isText = isUtf8(bytes);
  return { body: bytes.toString(isText ? "utf8" : "base64"), isBase64Encoded: !isText };
}

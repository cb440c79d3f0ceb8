import type { HttpResponse } from "../../http/message/message.js";
import { releaseBody } from "../../http/message/reply.js";
import { isReadableStream } from "../../platform/streams.js";

type ResponseBody = ConstructorParameters<typeof Response>[0];

/** Returns a reply as a `Response`. */
export function toResponse({ status, headers, body }: HttpResponse): Response {
  try {
    return new Response(toResponseBody(body), { status, headers });
  } catch {
    // A user's hook set a header field that `Headers` refuses. The operation stays recorded, so a retry can find it.
    releaseBody(body);
    return new Response(null, { status: 500 });
  }
}

function toResponseBody(body: HttpResponse["body"]): ResponseBody {
  if (body === undefined) return null;
  if (typeof body === "string" || body instanceof Uint8Array) return body as ResponseBody;
  return isReadableStream(body) ? body : toStream(body[Symbol.asyncIterator]());
}

function toStream(chunks: AsyncIterator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: async (controller) => {
      const { value, done } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => {
      await chunks.return?.();
    },
  });
}

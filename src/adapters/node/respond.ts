import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpRequest, RequestContext } from "../../http/message/message.js";
import type { Mountable } from "../../service/service.js";
import { writeResponse } from "./write-response.js";

/** Writes the reply of a service to a request. Never rejects. */
export async function respond(
  service: Mountable,
  request: HttpRequest,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  try {
    writeResponse(req, res, await service.handle(request, new NodeRequestContext(res)), service);
  } catch {
    // Neither throws for a valid reply. An invalid one must not crash the process.
    res.destroy();
  }
}

/**
 * Creates its signal on first use, because most requests never need it. It is a class because V8 keeps an object
 * literal with an accessor, and with it the request, until the next full collection.
 */
class NodeRequestContext implements RequestContext {
  readonly #res: ServerResponse;
  #controller: AbortController | undefined;

  constructor(res: ServerResponse) {
    this.#res = res;
  }

  get signal(): AbortSignal {
    this.#controller ??= abortOnClose(this.#res);
    return this.#controller.signal;
  }
}

/**
 * Only the response that owns the connection emits `close`. One that waits behind an earlier response, because its
 * client pipelines, would not notice a disconnect. So it counts as gone, and waits for nothing.
 */
function abortOnClose(res: ServerResponse): AbortController {
  const controller = new AbortController();
  const onClose = (): void => {
    // Over HTTP/2, every response that has closed is `writableFinished`.
    if (!(res.writableEnded && res.writableFinished)) controller.abort();
  };
  if (ownsConnection(res)) res.once("close", onClose);
  else onClose();
  return controller;
}

/** The socket is null before and after a response is sent, and undefined after a stream of HTTP/2 has closed. */
function ownsConnection({ socket, destroyed }: ServerResponse): boolean {
  return socket !== null && socket !== undefined && !destroyed;
}

import type { ServerResponse } from "node:http";
import type { RequestContext } from "../../http/message/message.js";

/** The context of a request. Most requests never ask for the signal, so it is created on first use. */
export function createRequestContext(res: ServerResponse): RequestContext {
  let controller: AbortController | undefined;
  return {
    get signal() {
      controller ??= abortOnClose(res);
      return controller.signal;
    },
  };
}

function abortOnClose(res: ServerResponse): AbortController {
  const controller = new AbortController();
  const onClose = (): void => {
    if (!res.writableFinished) controller.abort();
  };
  if (res.destroyed || res.closed) onClose();
  else res.once("close", onClose);
  return controller;
}

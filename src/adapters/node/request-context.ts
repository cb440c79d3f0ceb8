import type { ServerResponse } from "node:http";
import type { RequestContext } from "../../http/message/message.js";

/** Returns the context of a request. Creates its signal on first use, because most requests never need it. */
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

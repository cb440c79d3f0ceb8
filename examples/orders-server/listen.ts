import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { NodeHandler } from "async-request-reply/node";
import { StartError } from "./start-error.js";

export interface Listening {
  readonly url: string;
  /** Stops accepting requests, lets those in progress finish for `graceMs`, and then closes all connections. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Listens for HTTP requests.
 *
 * @throws StartError if the server cannot listen on the address
 */
export async function listen(
  handler: NodeHandler,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Listening> {
  const replies = new Set<ServerResponse>();
  const server = createServer((req, res) => {
    replies.add(res);
    res.once("close", () => replies.delete(res));
    if (!server.listening) closeAfter(res);
    handler(req, res);
  });
  server.listen(port, host);
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`HOST and PORT: cannot listen on ${host}, port ${port} (${error.code})`);
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`,
    stop: async (graceMs) => {
      const closed = once(server, "close");
      server.close();
      server.closeIdleConnections();
      for (const res of replies) closeAfter(res);
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(timer);
    },
  };
}

/** Closes the connection after the reply. Otherwise a client could keep the process alive by sending more requests. */
function closeAfter(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader("connection", "close");
}

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { NodeHandler } from "async-request-reply/node";
import { StartError } from "./start-error.js";

export interface Listening {
  readonly url: string;
  readonly http: Server;
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
  const server = createServer(handler).listen(port, host);
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`HOST and PORT: cannot listen on ${host}, port ${port} (${error.code})`);
  });
  const address = server.address() as AddressInfo;
  return { url: `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`, http: server };
}

import { once } from "node:events";
import { type ClientHttp2Session, connect, createServer, type Http2Server } from "node:http2";
import type { AddressInfo, Server } from "node:net";
import {
  allowAnonymous,
  createMemoryBackend,
  createOrderService,
  type OrderServiceOptions,
  type Service,
} from "async-request-reply";
import { type NodeHandler, toNodeHandler } from "async-request-reply/node";
import type { Mountable } from "async-request-reply/ports";
import { onTestFinished } from "vitest";
import { type RunningServer, startServer, type ToListener } from "../support/node-harness.js";

const tenant = "anonymous";

/** A service with a pending order. */
export async function createPending(options: Partial<OrderServiceOptions> = {}) {
  const backend = createMemoryBackend();
  const service = createOrderService({ authorize: allowAnonymous(), backend, observe: false, ...options });
  const order = { itemId: "pen", quantity: 2 };
  const { operationId } = await service.submit(service.definitions[0], order, { tenant });
  return {
    backend,
    service: service as Service,
    operationId,
    path: `/operations/${operationId}`,
    end: () => backend.operations.requestCancel(operationId, tenant),
  };
}

export async function serve(service: Mountable, toListener?: ToListener): Promise<RunningServer> {
  const server = await startServer(service, toListener);
  onTestFinished(server.close);
  return server;
}

/** Listens on a free port of this machine, and returns it. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** `Http2ServerRequest` can be used like `IncomingMessage`, but its types do not say so. */
export type Http2Handler = NodeHandler & Parameters<typeof createServer>[1];

/** Starts a server of HTTP/2 and connects a client to it, until the test ends. */
export async function serveHttp2(
  service: Mountable,
): Promise<{ readonly server: Http2Server; readonly client: ClientHttp2Session }> {
  const server = createServer(toNodeHandler(service) as Http2Handler);
  const client = connect(`http://127.0.0.1:${await listen(server)}`);
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  return { server, client };
}

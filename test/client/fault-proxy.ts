import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Fault } from "./chaos.js";

/** A proxy on this machine that treats each request as told. */
export interface FaultProxy {
  readonly url: string;
  /** Number of requests by their fault. */
  readonly counts: ReadonlyMap<Fault, number>;
  close(): Promise<void>;
}

/** Starts a proxy. Resets the connection of a client if the server is away. */
export async function startFaultProxy(
  targetPort: number,
  choose: (request: { readonly waits: boolean }) => Fault,
): Promise<FaultProxy> {
  const counts = new Map<Fault, number>();
  const listener = createServer((incoming, reply) => {
    const fault = choose({ waits: incoming.headers.prefer !== undefined });
    counts.set(fault, (counts.get(fault) ?? 0) + 1);
    if (fault === "lost") incoming.socket.destroy();
    else if (fault === "unavailable") reply.writeHead(503).end();
    else forward(targetPort, incoming, reply, fault);
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, counts, close: () => close(listener) };
}

/** Shortest wait that a client takes for cut, and a bit. Milliseconds. */
const CUT_AFTER_MS = 1_050;

function forward(port: number, incoming: IncomingMessage, reply: ServerResponse, fault: Fault): void {
  const { method, url, headers } = incoming;
  const outgoing = request({ host: "127.0.0.1", port, method, path: url, headers, agent: false });
  const reset = (): void => {
    incoming.socket.destroy();
    outgoing.destroy();
  };
  if (fault === "cut") setTimeout(reset, CUT_AFTER_MS);
  outgoing.on("error", reset);
  outgoing.on("response", (answer) => {
    if (fault === "reply lost") return reset();
    reply.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.on("error", reset);
    answer.pipe(reply);
  });
  reply.on("close", () => outgoing.destroy());
  incoming.pipe(outgoing);
}

async function close(listener: Server): Promise<void> {
  const closed = once(listener, "close");
  listener.close();
  listener.closeAllConnections();
  await closed;
}

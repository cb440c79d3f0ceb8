import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** What a proxy does with connections, those that are open included. `up` is from the client to the server. */
export type Behaviour =
  /** Hands everything on, at once. */
  | { readonly does: "pass" }
  /** Is a black hole: connects, and hands nothing on. What came meanwhile is lost. */
  | { readonly does: "drop" }
  /** Hands everything on, each piece so much later. */
  | { readonly does: "delay"; readonly ms: number }
  /** Breaks off the connection on which, in this direction, so many bytes more have gone through; then passes. */
  | { readonly does: "cut"; readonly direction: "up" | "down"; readonly afterBytes: number }
  /** Says to clients that the server will send no more, and goes on handing up what they send. */
  | { readonly does: "half-close" }
  /** Breaks off every connection, and does not listen. */
  | { readonly does: "refuse" };

/** A proxy between a client and a server on this machine, which can fail like a network. */
export interface TcpProxy {
  readonly port: number;
  /** Changes what it does from now on. */
  set(behaviour: Behaviour): Promise<void>;
  /** How many connections `cut` has broken off. */
  cuts(): number;
  /** How many bytes `drop` has swallowed. */
  droppedBytes(): number;
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

/** Listens on a free port and connects everybody to `targetPort`. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  let behaviour: Behaviour = { does: "pass" };
  let bytesLeft = 0;
  let cuts = 0;
  let droppedBytes = 0;

  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const server = connect({ port: targetPort, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    const pair: Pair = { client, server };
    pairs.add(pair);
    relay(pair, "up");
    relay(pair, "down");
    if (behaviour.does === "half-close") client.end();
  });

  function relay(pair: Pair, direction: "up" | "down"): void {
    const [from, to] = direction === "up" ? [pair.client, pair.server] : [pair.server, pair.client];
    from.on("data", (chunk) => handOn(pair, to, direction, chunk));
    from.on("end", () => void (behaviour.does !== "drop" && to.end()));
    // Whoever is on the other side finds out.
    from.on("error", () => {});
    from.on("close", () => {
      pairs.delete(pair);
      if (behaviour.does !== "drop") to.destroy();
    });
  }

  function handOn(pair: Pair, to: Socket, direction: "up" | "down", chunk: Buffer): void {
    if (behaviour.does === "drop") droppedBytes += chunk.length;
    else if (!to.writable) return;
    else if (behaviour.does === "delay") {
      setTimeout(() => to.writable && to.write(chunk), behaviour.ms);
    } else if (behaviour.does === "cut" && behaviour.direction === direction) {
      cutAfter(pair, to, chunk);
    } else to.write(chunk);
  }

  function cutAfter(pair: Pair, to: Socket, chunk: Buffer): void {
    if (chunk.length < bytesLeft) {
      bytesLeft -= chunk.length;
      to.write(chunk);
      return;
    }
    behaviour = { does: "pass" };
    cuts += 1;
    // Only then: what has not left this process would be lost with the connection.
    to.write(chunk.subarray(0, bytesLeft), () => breakOff(pair));
  }

  const listen = async (port: number): Promise<void> => {
    listener.listen(port, "127.0.0.1");
    await once(listener, "listening");
  };
  const refuse = async (): Promise<void> => {
    if (!listener.listening) return;
    const closed = once(listener, "close");
    listener.close();
    for (const pair of pairs) breakOff(pair);
    await closed;
  };

  await listen(0);
  const { port } = listener.address() as AddressInfo;
  return {
    port,
    set: async (next) => {
      behaviour = next;
      if (next.does === "cut") bytesLeft = next.afterBytes;
      if (next.does === "half-close") for (const { client } of pairs) client.end();
      if (next.does === "refuse") await refuse();
      else if (!listener.listening) await listen(port);
    },
    cuts: () => cuts,
    droppedBytes: () => droppedBytes,
    close: refuse,
  };
}

function breakOff({ client, server }: Pair): void {
  client.destroy();
  server.destroy();
}

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Treatment of open and new connections. `up` is the direction from the client to the server. */
export type Behavior =
  /** Forwards everything immediately. */
  | { readonly does: "pass" }
  /** Accepts connections and discards everything, like a black hole. */
  | { readonly does: "drop" }
  /** Forwards each chunk after this many milliseconds. */
  | { readonly does: "delay"; readonly ms: number }
  /** Resets the connection that has forwarded this many more bytes in this direction, then passes everything. */
  | { readonly does: "cut"; readonly direction: "up" | "down"; readonly afterBytes: number }
  /** Ends the direction to the client, and still forwards what clients send. */
  | { readonly does: "half-close" }
  /** Resets every connection and stops listening. */
  | { readonly does: "refuse" };

/** A proxy between a client and a server on this machine that can fail like a network. */
export interface TcpProxy {
  readonly port: number;
  /** Changes the behavior from now on. */
  set(behavior: Behavior): Promise<void>;
  /** Number of connections that `cut` has reset. */
  cuts(): number;
  /** Number of bytes that `drop` has discarded. */
  droppedBytes(): number;
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

/** Listens on a free port and connects every client to `targetPort`. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  let behavior: Behavior = { does: "pass" };
  let bytesLeft = 0;
  let cuts = 0;
  let droppedBytes = 0;

  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const server = connect({ port: targetPort, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    const pair: Pair = { client, server };
    pairs.add(pair);
    relay(pair, "up");
    relay(pair, "down");
    if (behavior.does === "half-close") client.end();
  });

  function relay(pair: Pair, direction: "up" | "down"): void {
    const [from, to] = direction === "up" ? [pair.client, pair.server] : [pair.server, pair.client];
    from.on("data", (chunk) => forward(pair, to, direction, chunk));
    from.on("end", () => void (behavior.does !== "drop" && to.end()));
    // The close handler tells the other side.
    from.on("error", () => {});
    from.on("close", () => {
      pairs.delete(pair);
      if (behavior.does !== "drop") to.destroy();
    });
  }

  function forward(pair: Pair, to: Socket, direction: "up" | "down", chunk: Buffer): void {
    if (behavior.does === "drop") droppedBytes += chunk.length;
    else if (!to.writable) return;
    else if (behavior.does === "delay") {
      setTimeout(() => to.writable && to.write(chunk), behavior.ms);
    } else if (behavior.does === "cut" && behavior.direction === direction) {
      cutAfter(pair, to, chunk);
    } else to.write(chunk);
  }

  function cutAfter(pair: Pair, to: Socket, chunk: Buffer): void {
    if (chunk.length < bytesLeft) {
      bytesLeft -= chunk.length;
      to.write(chunk);
      return;
    }
    behavior = { does: "pass" };
    cuts += 1;
    // Resets only after the write, because unsent bytes would be lost with the connection.
    to.write(chunk.subarray(0, bytesLeft), () => resetPair(pair));
  }

  const listen = async (port: number): Promise<void> => {
    listener.listen(port, "127.0.0.1");
    await once(listener, "listening");
  };
  const refuse = async (): Promise<void> => {
    if (!listener.listening) return;
    const closed = once(listener, "close");
    listener.close();
    for (const pair of pairs) resetPair(pair);
    await closed;
  };

  await listen(0);
  const { port } = listener.address() as AddressInfo;
  return {
    port,
    set: async (next) => {
      behavior = next;
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

function resetPair({ client, server }: Pair): void {
  client.destroy();
  server.destroy();
}

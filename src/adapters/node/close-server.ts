import { subscribe } from "node:diagnostics_channel";
import type { Server as HttpServer, IncomingMessage, ServerResponse } from "node:http";
import type { ServerHttp2Session } from "node:http2";
import type { Server, Socket } from "node:net";
import { duration } from "../../contract/option-values.js";
import { misuse, type OptionTable, readOptions, shown } from "../../contract/options.js";
import { checkService } from "../../service/check-service.js";
import type { Service } from "../../service/service.js";
import { http2Stream } from "./write-body.js";

/** Options of {@link closeServer}. */
export interface CloseOptions {
  /**
   * Time for the requests in progress, and for WebSockets and tunnels. Then every connection is closed. Milliseconds.
   * Default: 10 s.
   */
  readonly graceMs?: number;
}

const OPTIONS: OptionTable<Required<CloseOptions>> = { graceMs: duration(10_000) };

/** How often connections are closed that have become idle. Milliseconds. */
const IDLE_MS = 100;

/** Everything that a server has open. */
interface Open {
  /** Connections, also those that became a WebSocket or a tunnel. With TLS, each is there twice: raw, and decrypted. */
  readonly sockets: Set<Socket>;
  readonly sessions: Set<ServerHttp2Session>;
}

const known = new WeakMap<Server, Open>();

// Node lists no sessions of HTTP/2 and no upgraded connections, so every server is followed from its start.
subscribe("tracing:net.server.listen:asyncStart", (message) => {
  follow((message as { readonly server: Server }).server);
});

/** Returns everything that a server has open and has accepted since the first call. */
function follow(server: Server): Open {
  const before = known.get(server);
  if (before !== undefined) return before;
  const open: Open = { sockets: new Set(), sessions: new Set() };
  known.set(server, open);
  const addTo = <T extends Socket | ServerHttp2Session>(all: Set<T>) => {
    return (opened: T): void => {
      all.add(opened);
      opened.once("close", () => all.delete(opened));
    };
  };
  server.on("connection", addTo(open.sockets));
  server.on("secureConnection", addTo(open.sockets));
  server.on("session", addTo(open.sessions));
  return open;
}

/**
 * Stops a server and its service, on SIGTERM for example. The server accepts no more connections. It closes those without a
 * request at once, and each other one after the reply in progress. Meanwhile, `service.close()` ends waits and streams, lets
 * requests and work finish, and closes the back end. After `graceMs`, every connection is closed, also WebSockets and tunnels,
 * which can end in order if your code closes them before. Resolves when both are closed.
 *
 * The package did not open your database pool, so end it afterwards.
 *
 * Throws `INVALID_OPTION`.
 *
 * @param server A server of `node:http`, `node:https` or `node:http2`. Import this function before the server listens: Node
 *   does not tell which WebSockets, tunnels and HTTP/2 sessions are already open.
 */
export async function closeServer(
  server: Server,
  service: Pick<Service, "close">,
  options: CloseOptions = {},
): Promise<void> {
  const { prependListener, close } = (server ?? {}) as Partial<Server>;
  // An application of Express has the first, but it is no server.
  if (typeof prependListener !== "function" || typeof close !== "function")
    throw misuse(
      `closeServer() takes a server of Node, such as that of http.createServer() or app.listen(), not ${shown(server)}.`,
    );
  checkService(service, "closeServer", "close");
  const { graceMs } = readOptions(options, OPTIONS, "closeServer");
  // A connection that was opened before can still send a request.
  server.prependListener("request", closeAfterReply);
  await Promise.all([closeConnections(server, graceMs), service.close()]);
}

function closeAfterReply(req: IncomingMessage, res: ServerResponse): void {
  const stream = http2Stream(req);
  if (stream === undefined) res.setHeader("connection", "close");
  else stream.session?.close();
}

/** Servers of HTTP/2 lack these. */
type Closers = Partial<Pick<HttpServer, "closeIdleConnections" | "closeAllConnections">>;

async function closeConnections(server: Server & Closers, graceMs: number): Promise<void> {
  const { sockets, sessions } = follow(server);
  await new Promise<void>((resolve) => {
    // Replies of the application that were in progress leave their connections open.
    const idle = setInterval(() => {
      server.closeIdleConnections?.();
      for (const session of sessions) session.close();
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    }, IDLE_MS);
    const late = setTimeout(() => {
      server.closeAllConnections?.();
      for (const socket of sockets) socket.destroy();
      end();
    }, graceMs);
    const end = (): void => {
      clearInterval(idle);
      clearTimeout(late);
      resolve();
    };
    server.close(end);
  });
}

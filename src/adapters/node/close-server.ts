import type { Server as HttpServer, IncomingMessage, ServerResponse } from "node:http";
import type { Server } from "node:net";
import { duration, type OptionTable, readOptions } from "../../contract/option-table.js";
import { misuse, shown } from "../../contract/options.js";
import { checkService } from "../../service/check-service.js";
import type { Service } from "../../service/service.js";
import { http2Stream } from "./write-body.js";

/** Options of {@link closeServer}. */
export interface CloseOptions {
  /** Time for the requests in progress. Then every connection is closed. Milliseconds. Default: 10 s. */
  readonly graceMs?: number;
}

const OPTIONS: OptionTable<Required<CloseOptions>> = { graceMs: duration(10_000) };

/** How often connections are closed that have become idle. Milliseconds. */
const IDLE_MS = 100;

/**
 * Stops a server and its service, on SIGTERM for example. The server accepts no more connections, and closes each one
 * that it has after the reply in progress. Meanwhile, `service.close()` ends waits and streams, lets requests and work
 * finish, and closes the back end. Resolves when both are closed.
 *
 * The package did not open your database pool, so end it afterwards.
 *
 * Throws `INVALID_OPTION`.
 *
 * @param server A server of `node:http`, `node:https` or `node:http2`. Over HTTP/2, Node before version 24 cannot close
 *   a connection without requests, which then outlives the call.
 */
export async function closeServer(
  server: Server,
  service: Pick<Service, "close">,
  options: CloseOptions = {},
): Promise<void> {
  if (typeof (server as Partial<Server> | undefined)?.prependListener !== "function")
    throw misuse(
      `closeServer() takes a server of Node, such as that of http.createServer(), not ${shown(server)}.`,
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
  await new Promise<void>((resolve) => {
    // Replies of the application that were in progress leave their connections open.
    const idle = setInterval(() => server.closeIdleConnections?.(), IDLE_MS);
    const late = setTimeout(() => {
      server.closeAllConnections?.();
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

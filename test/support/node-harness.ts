import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type MountOptions, toNodeHandler } from "async-request-reply/node";

import type { Mountable } from "async-request-reply/ports";
import type { AdapterHarness, Mounted, WireRequest } from "./adapter-suite/fixtures/adapter-case.js";
import { openRawConnection, type RawConnection } from "./raw-connection.js";

/** A service behind a real Node server. */
export interface RunningServer {
  readonly server: Server;
  readonly port: number;
  connect(): RawConnection;
  /** Closes the server and all of its connections. */
  close(): Promise<void>;
}

/** Creates a listener for Node's server from a service. */
export type ToListener = (service: Mountable, options?: MountOptions) => RequestListener;

/** Creates the Node handler. With options, `applicationHandler` answers what falls through. */
const toNodeListener: ToListener = (service, options) => {
  const handler = toNodeHandler(service, options);
  return options === undefined
    ? handler
    : (req, res) => handler(req, res, () => applicationHandler(req, res));
};

/** Replies with the body of the request, which shows that the application was reached. */
export async function applicationHandler(req: IncomingMessage, res: ServerResponse): Promise<void> {
  res.writeHead(200).end(`the application: ${await text(req)}`);
}

/** Starts a server on a free port of this machine. */
export async function startServer(
  service: Mountable,
  toListener: ToListener = toNodeListener,
  options?: MountOptions,
): Promise<RunningServer> {
  const server = createServer(toListener(service, options)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    server,
    port,
    connect: () => openRawConnection(port),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Creates a harness for the adapter suite over real sockets. `close` ends everything that its cases mounted. */
export function createNodeHarness(
  createBackend: AdapterHarness["createBackend"],
  toListener?: ToListener,
): AdapterHarness & { close(): Promise<void> } {
  const running: RunningServer[] = [];
  return {
    // Bun answers 431 itself and cannot be configured otherwise.
    capabilities: {
      sockets: true,
      fieldLines: true,
      manyFields: !("Bun" in globalThis),
      streams: true,
      fallthrough: true,
    },
    createBackend,
    mount: async (service, options) => {
      const started = await startServer(service, toListener, options);
      // Otherwise Node 22 answers 431 itself.
      started.server.maxHeadersCount = 0;
      running.push(started);
      return mounted(started);
    },
    close: async () => {
      for (const { close } of running.splice(0)) await close();
    },
  };
}

function mounted({ connect }: RunningServer): Mounted {
  return {
    send: async (request) => {
      const connection = connect();
      await writeRequest(connection, request);
      const reply = await connection.read(request.method);
      connection.abort();
      return reply;
    },
    open: async () => {
      const connection = connect();
      const methods: string[] = [];
      return {
        write: (request) => {
          methods.push(request.method);
          return writeRequest(connection, request);
        },
        read: () => connection.read(methods.shift()),
        readUntil: connection.readUntil,
        abort: connection.abort,
        closed: connection.closed,
      };
    },
  };
}

/** Writes a request exactly as described, and adds framing if it declares none. */
export async function writeRequest(connection: RawConnection, request: WireRequest): Promise<void> {
  const { method, path, headers, body } = request;
  const declared = headers.some(([name]) => name === "content-length");
  const lines = [`${method} ${path} HTTP/1.1`, "host: localhost", ...headers.map((pair) => pair.join(": "))];
  const head = (framing?: string): string =>
    `${[...lines, ...(framing === undefined || declared ? [] : [framing])].join("\r\n")}\r\n\r\n`;
  if (body === undefined) return connection.write(head());
  if (typeof body === "string" || body instanceof Uint8Array) {
    const bytes = Buffer.from(body as string);
    return connection.write(Buffer.concat([latin1(head(`content-length: ${bytes.length}`)), bytes]));
  }
  await connection.write(head("transfer-encoding: chunked"));
  for (const chunk of body.chunks) {
    const bytes = Buffer.from(chunk as string);
    await connection.write(
      declared ? bytes : Buffer.concat([latin1(`${bytes.length.toString(16)}\r\n`), bytes, latin1("\r\n")]),
    );
  }
  if (body.end === "abort") connection.abort();
  else if (body.end !== "stall" && !declared) await connection.write("0\r\n\r\n");
}

function latin1(text: string): Buffer {
  return Buffer.from(text, "latin1");
}

import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import {
  type ClientHttp2Session,
  createServer as createHttp2Server,
  createSecureServer,
  connect as openSession,
} from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import { connect as openSocket, type Server, type Socket } from "node:net";
import { connect as openTls } from "node:tls";
import { allowAnonymous, createOrderService } from "async-request-reply";
import { closeServer, toNodeHandler } from "async-request-reply/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Http2Handler, listen } from "./node-stage.js";

/** Longer than any test. */
const FOREVER_MS = 3_600_000;
const psk = Buffer.alloc(16, 1);
/** TLS with a shared key, which needs no certificate. */
const tls = { ciphers: "PSK-AES128-GCM-SHA256", maxVersion: "TLSv1.2" } as const;
const ofServer = { ...tls, pskCallback: () => psk };
const ofClient = {
  ...tls,
  pskCallback: () => ({ psk, identity: "client" }),
  checkServerIdentity: () => undefined,
};

/** How clients open sockets, and the event when they are connected. */
const plain = { openSocket: (port: number) => openSocket(port, "127.0.0.1"), connected: "connect" };
const encrypted = {
  openSocket: (port: number) =>
    openTls({ ...ofClient, port, host: "127.0.0.1", ALPNProtocols: ["http/1.1", "h2"] }),
  connected: "secureConnect",
};

type ToServer = (handler: Http2Handler) => Server;
const toHttps: ToServer = (handler) => createHttpsServer(ofServer, handler);
const toHttp2: ToServer = (handler) => createHttp2Server(handler);
const toSecureHttp2: ToServer = (handler) => createSecureServer(ofServer, handler);

const http1 = [
  { ...plain, name: "HTTP/1.1", createServer: createHttpServer as ToServer },
  { ...encrypted, name: "HTTP/1.1 with TLS", createServer: toHttps },
];
const http2 = [
  { ...plain, name: "HTTP/2", createServer: toHttp2 },
  { ...encrypted, name: "HTTP/2 with TLS", createServer: toSecureHttp2 },
];

async function start({ createServer, openSocket: open, connected }: (typeof http1)[number]) {
  const service = createOrderService({ authorize: allowAnonymous(), observe: false });
  const server = createServer(toNodeHandler(service) as Http2Handler);
  const port = await listen(server);
  /** Opens a connection, and waits until the server has it. */
  const connect = async (): Promise<Socket> => {
    const accepted = once(server, connected === "connect" ? "connection" : "secureConnection");
    const socket = open(port).on("error", () => {});
    onTestFinished(() => void socket.destroy());
    await Promise.all([once(socket, connected), accepted]);
    return socket;
  };
  return { service, server, connect };
}

function startSession(socket: Socket): ClientHttp2Session {
  const session = openSession("http://127.0.0.1", { createConnection: () => socket });
  return session.on("error", () => {});
}

/** Sends the head of an upload and less than its body, and waits until the server has the request. */
async function stall(server: Server, session: ClientHttp2Session): Promise<void> {
  const begun = once(server, "request");
  const fields = { "content-type": "application/json", "content-length": "100" };
  const upload = session.request({ ":method": "POST", ":path": "/orders", ...fields });
  upload.on("error", () => {}).write("{");
  await begun;
}

describe("closeServer", () => {
  it.each([...http1, ...http2])(
    "closes connections at once that never sent a request, over $name",
    async (transport) => {
      const { server, service, connect } = await start(transport);
      const sockets = [await connect(), await connect()];
      const gone = sockets.map((socket) => once(socket.resume(), "close"));
      await closeServer(server, service, { graceMs: FOREVER_MS });
      await expect(Promise.all(gone)).resolves.toHaveLength(2);
    },
  );

  it.each(http2)("closes a session at once that never sent a request, over $name", async (transport) => {
    const { server, service, connect } = await start(transport);
    const session = startSession(await connect());
    await once(session, "remoteSettings");
    const gone = once(session, "close");
    await closeServer(server, service, { graceMs: FOREVER_MS });
    await expect(gone).resolves.toEqual([]);
  });

  it.each(http2)(
    "closes a session with a stalled upload after the grace period, over $name",
    async (transport) => {
      const { server, service, connect } = await start(transport);
      const session = startSession(await connect());
      await stall(server, session);
      const gone = once(session, "close");
      await closeServer(server, service, { graceMs: 50 });
      await expect(gone).resolves.toEqual([]);
    },
  );

  it.each(http1)("closes WebSockets and tunnels after the grace period, over $name", async (transport) => {
    const { server, service, connect } = await start(transport);
    for (const event of ["upgrade", "connect"])
      server.on(event, (_, socket: Socket) => socket.on("error", () => {}).write("HTTP/1.1 200 OK\r\n\r\n"));
    const upgrade = "connection: upgrade\r\nupgrade: websocket\r\n";
    const heads = [`GET / HTTP/1.1\r\nhost: a\r\n${upgrade}\r\n`, "CONNECT a:80 HTTP/1.1\r\nhost: a\r\n\r\n"];
    const gone = await Promise.all(
      heads.map(async (head) => {
        const socket = await connect();
        const answered = once(socket, "data");
        socket.write(head);
        await answered;
        return { closed: once(socket, "close") };
      }),
    );
    await closeServer(server, service, { graceMs: 50 });
    await expect(Promise.all(gone.map(({ closed }) => closed))).resolves.toHaveLength(2);
  });
});

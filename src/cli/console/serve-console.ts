import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "../../adapters/node/to-node-handler.js";
import { createConsole } from "../../console/console.js";
import { invalidOption, misuse } from "../../contract/options.js";
import { createOperator } from "../../operator/operator.js";
import { readArguments } from "../read-arguments.js";
import { createLogin, type Login } from "./login.js";
import { definitionsIn } from "./named-definitions.js";
import { openStore } from "./open-store.js";

const USAGE =
  "Usage: async-request-reply console [ADDRESS] [--operate] [--port PORT] [--schema NAME] [--definition NAME]...";
const HELP = `${USAGE}

Serves the console on this machine until Ctrl-C. It prints an address that works once. It creates and upgrades no tables.

  ADDRESS            postgres://… or the path of an SQLite file. Default: the environment variable DATABASE_URL.
  --operate          Also shows payloads, and allows to cancel, run again, pause and resume. Default: read only.
  --port PORT        Port on 127.0.0.1. Default: a free one.
  --schema NAME      Name of the schema in Postgres. Default: async_request_reply.
  --definition NAME  A definition to show. Can be repeated. Default: those of the newest operations, failures and pending ones, and those with workers.
  --help             Prints this text.
`;
const OPTIONS = {
  operate: { type: "boolean" },
  port: { type: "string" },
  schema: { type: "string" },
  definition: { type: "string", multiple: true },
  help: { type: "boolean", short: "h" },
} as const;

const PATH = "/console/";

/**
 * Serves the console. Resolves to its address, once it listens.
 *
 * Throws `INVALID_OPTION`, `STORE_UNAVAILABLE`.
 */
export async function serveConsole(given: readonly string[]): Promise<string> {
  const { values, positionals } = readArguments(given, OPTIONS, USAGE, true);
  if (values.help === true) return HELP;
  const [address = process.env.DATABASE_URL, unexpected] = positionals;
  if (address === undefined || address === "")
    throw misuse(`There is no address of a database. Pass one, or set DATABASE_URL. ${USAGE}`);
  if (unexpected !== undefined) throw misuse(`There are two addresses. Pass one. ${USAGE}`);
  const port = readPort(values.port);
  const store = await openStore(address, values.schema);
  try {
    await store.backend.check?.();
    const definitions = await definitionsIn(store.backend, values.definition);
    const operator = createOperator({ backend: store.backend, definitions });
    const login = createLogin(values.operate === true ? "operate" : "observe");
    const page = createConsole({ operator, authorize: login.authorize });
    const server = await listen(toNodeHandler(page), login, port);
    for (const signal of ["SIGINT", "SIGTERM"] as const)
      process.once(signal, () => {
        server.close();
        server.closeAllConnections();
        void page.close().then(store.close);
      });
    const access = values.operate === true ? "" : " It is read only: pass --operate to change operations.";
    return `The console is on ${originOf(server)}/?token=${login.token}\nThe address works once.${access}\n`;
  } catch (error) {
    await store.close();
    throw error;
  }
}

function readPort(port = "0"): number {
  const read = Number(port);
  if (/^\d+$/.test(port) && read <= 65_535) return read;
  throw invalidOption("port", "a port from 0 to 65535", port);
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Serves the page to who has logged in, under names of this machine only, so that no site can name this address its own. */
async function listen(
  handler: ReturnType<typeof toNodeHandler>,
  login: Login,
  port: number,
): Promise<Server> {
  const server = createServer((request, response) => {
    const { hostname, pathname, searchParams } = new URL(
      request.url ?? "/",
      `http://${request.headers.host}`,
    );
    const token = searchParams.get("token");
    if (!["127.0.0.1", "localhost"].includes(hostname)) response.writeHead(421).end();
    else if (pathname !== "/") handler(request, response);
    else if (token === null) response.writeHead(303, { location: PATH }).end();
    else {
      const cookie = login.exchange(token);
      if (cookie === undefined)
        response.writeHead(403).end("This address was used. Start the command again.\n");
      else
        response.writeHead(303, { location: PATH, "set-cookie": cookie, "cache-control": "no-store" }).end();
    }
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { parseCurl } from "../docs/curl.js";
import { root } from "../support/built.js";
import { createOrdersClient, type OrdersClient } from "../support/orders-client.js";
import { type ServerProcess, startServer } from "../support/orders-server-process.js";

/** Differences from the command in the leading comment. */
export interface Change {
  readonly path?: string;
  readonly body?: string;
  /** Another key. `undefined` omits the key. */
  readonly key?: string | undefined;
}

/** A short example that runs during the tests of its file. */
export interface ShortExample {
  readonly name: string;
  /** Sends the command in the leading comment. */
  send(change?: Change): Promise<Response>;
  /** Sends another request to a path of the example. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Creates a client for reading operations. */
  client(): OrdersClient;
}

/** Starts an example before the tests of a file and kills it after them. */
export function useExample(name: string): ShortExample {
  let running: ServerProcess;
  beforeAll(async () => {
    running = await startServer({}, name);
  });
  afterAll(() => running?.kill());
  return {
    name,
    send: (change) => sendCommand(`${name}/server.ts`, running.baseUrl, change),
    fetch: (path, init) => fetch(running.baseUrl + path, init),
    client: () => createOrdersClient(running.baseUrl),
  };
}

/** Sends the command in the leading comment of a file of `examples` to the running example. */
export function sendCommand(file: string, baseUrl: string, change: Change = {}): Promise<Response> {
  const { request } = parseCurl(commandOf(file), new Map());
  const { method, path, body } = { ...request, ...change };
  const headers = new Headers(request.headers as [string, string][]);
  if ("key" in change) headers.delete("idempotency-key");
  if (change.key !== undefined) headers.set("idempotency-key", change.key);
  return fetch(baseUrl + path, { method, headers, body: String(body) });
}

function commandOf(file: string): string {
  const source = readFileSync(join(root, "examples", file), "utf8");
  const lines = source
    .slice(0, source.indexOf("*/"))
    .split("\n")
    .map((line) => line.replace(/^ \* ?/, ""));
  const first = lines.findIndex((line) => line.startsWith("curl "));
  return lines.slice(first).join("\n").replaceAll("\\\n", " ").trim();
}

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  OperationPage,
  OperationSummary,
  RedrivePreview,
  RedriveRun,
} from "async-request-reply/operator";
import { expect, it, onTestFinished } from "vitest";
import { effort } from "../support/effort.js";
import { type ServerProcess, startServer } from "../support/orders-server-process.js";
import { FROM_PAGE } from "./stage.js";

const FAILED = effort(200, 200, 1_000);
/** The part that runs again before the server is killed. */
const KILLED_AT = 0.3;
const TOKEN = "a-token";
const LIFETIME_MS = 600_000;
const filter = { definition: "orders", errorType: "work-failed" };
const authorization = `Basic ${Buffer.from(`any:${TOKEN}`).toString("base64")}`;

async function start(file: string, role: "all" | "api"): Promise<ServerProcess> {
  const variables = {
    BACKEND: `sqlite:${file}`,
    ROLE: role,
    CONSOLE_TOKEN: TOKEN,
    WORK_MS: "0",
    LOG: "json",
  };
  const server = await startServer(variables, "orders-server", LIFETIME_MS);
  onTestFinished(() => server.kill());
  return server;
}

async function submitFailing({ baseUrl }: ServerProcess): Promise<void> {
  const headers = { "content-type": "application/json", authorization: "Bearer demo-token" };
  const body = JSON.stringify({ itemId: "fail", quantity: 1 });
  const { status } = await fetch(`${baseUrl}/orders`, { method: "POST", headers, body });
  if (status !== 202) throw new Error(`status ${status}`);
}

async function read<Data>({ baseUrl }: ServerProcess, path: string): Promise<Data> {
  const reply = await fetch(`${baseUrl}/console/api/${path}`, { headers: { authorization } });
  return (await reply.json()) as Data;
}

async function redrive<Data>({ baseUrl }: ServerProcess, body: object): Promise<Data> {
  const reply = await fetch(`${baseUrl}/console/api/redrives`, {
    method: "POST",
    headers: { ...FROM_PAGE, authorization },
    body: JSON.stringify({ filter, ...body }),
  });
  return (await reply.json()) as Data;
}

/** Redrives like the page: one request after the other. Returns the sums, or undefined if the server is gone. */
async function redriveAll(
  server: ServerProcess,
  onProgress: (redriven: number) => void = () => {},
): Promise<{ readonly redriven: number; readonly skipped: number } | undefined> {
  let [redriven, skipped] = [0, 0];
  let cursor: string | undefined;
  do {
    const run = await redrive<RedriveRun>(server, { cursor }).catch(() => undefined);
    if (run === undefined) return undefined;
    redriven += run.redriven;
    skipped += run.skipped;
    cursor = run.cursor;
    onProgress(redriven);
  } while (cursor !== undefined);
  return { redriven, skipped };
}

async function listAll(server: ServerProcess, status: string): Promise<readonly OperationSummary[]> {
  const all: OperationSummary[] = [];
  let cursor: string | undefined = "";
  while (cursor !== undefined) {
    const page: OperationPage = await read(server, `operations?status=${status}&cursor=${cursor}`);
    all.push(...page.operations);
    cursor = page.cursor;
  }
  return all;
}

it(`a bulk redrive of ${FAILED} operations runs each again once, although the server is killed in the middle`, {
  timeout: LIFETIME_MS,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "console-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "orders.db");
  const working = await start(file, "all");
  for (let count = 0; count < FAILED; count += 20)
    await Promise.all(Array.from({ length: 20 }, () => submitFailing(working)));
  await expect
    .poll(async () => (await listAll(working, "failed")).length, { timeout: 120_000, interval: 1_000 })
    .toBe(FAILED);
  await working.kill();

  // Without a worker, the new operations stay as they are.
  const doomed = await start(file, "api");
  expect(await redrive<RedrivePreview>(doomed, { dryRun: true })).toMatchObject({
    count: FAILED,
    more: false,
  });
  const interrupted = await redriveAll(doomed, (redriven) => {
    // While the next request is in the middle of its second.
    if (redriven >= FAILED * KILLED_AT) setTimeout(() => void doomed.kill(), 450);
  });
  expect(interrupted).toBeUndefined();

  const next = await start(file, "api");
  const before = (await listAll(next, "pending")).length;
  expect(before).toBeGreaterThan(FAILED * KILLED_AT);
  expect(before).toBeLessThan(FAILED);
  expect(await redriveAll(next)).toEqual({ redriven: FAILED - before, skipped: before });
  const failed = (await listAll(next, "failed")).map(({ operationId }) => operationId);
  const again = (await listAll(next, "pending")).map(({ retryOf }) => retryOf);
  expect(again.toSorted()).toEqual(failed.toSorted());
  expect(new Set(again).size).toBe(FAILED);
});

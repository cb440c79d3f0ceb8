import { type ChildProcessByStdio, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { OrdersLine } from "./inside/orders-on-sqlite.js";
import { isSkipped, programOf } from "./matrix.js";
import { fileOf, openProject, type Project } from "./project.js";
import { type SqliteRuntime, sqliteRuntimes } from "./sqlite-clients.js";

const ORDERS = 300;
/** Each round begins with a new file. When Deno lost its locks, about one round in eight recorded some orders twice. */
const ROUNDS = [1, 2, 3, 4, 5, 6];
const fleet = sqliteRuntimes.filter(({ runtime }) => ["Node 22", "Bun", "Deno"].includes(runtime.name));

let project: Project;
beforeAll(async () => {
  project = await openProject();
});
afterAll(() => project?.remove());

describe("processes of Node, Bun and Deno that share an SQLite file", () => {
  it.skipIf(fleet.some(({ runtime }) => isSkipped(runtime))).each(ROUNDS)(
    "complete each of the orders that all of them submit once, while each of them is killed and restarted (round %i)",
    async (round) => {
      const path = join(project.folder, `shared-${round}.db`);
      const lines: OrdersLine[] = [];
      const start = (member: SqliteRuntime): Running => startOrders(member, path, lines);
      const running = fleet.map(start);
      for (const [index, member] of fleet.entries()) {
        await vi.waitUntil(() => running[index]?.hasWorked(), { timeout: 30_000 });
        await running[index]?.kill();
        running[index] = start(member);
      }
      await vi.waitUntil(() => running.every(({ hasSubmitted }) => hasSubmitted()), { timeout: 60_000 });
      const isDone = (): boolean => list(path).every(({ state }) => state === "completed");
      await vi.waitUntil(isDone, { timeout: 30_000, interval: 500 });

      const replies = lines.flatMap((line) => ("key" in line ? [line] : []));
      expect(replies.filter(({ status }) => status !== 202)).toEqual([]);
      const ids = new Map<string, Set<string | undefined>>();
      for (const { key, id } of replies) ids.set(key, (ids.get(key) ?? new Set()).add(id));
      expect(ids.size).toBe(ORDERS);
      expect([...ids.values()].filter(({ size }) => size !== 1)).toEqual([]);
      const stored = list(path).map(({ id }) => `/operations/${id}`);
      expect(new Set(stored)).toEqual(new Set([...ids.values()].flatMap((set) => [...set])));
      expect(stored).toHaveLength(ORDERS);
    },
  );
});

interface Running {
  hasSubmitted(): boolean;
  hasWorked(): boolean;
  kill(): Promise<void>;
}

function argumentsOf({ runtime, client }: SqliteRuntime, ...rest: readonly string[]): readonly string[] {
  return [...runtime.options, fileOf("orders-on-sqlite", "ES modules"), client, ...rest];
}

/** Starts a process and collects what it prints. It is killed after the test. */
function startOrders(member: SqliteRuntime, path: string, lines: OrdersLine[]): Running {
  const child: ChildProcessByStdio<null, Readable, null> = spawn(
    programOf(member.runtime),
    argumentsOf(member, path, "work", String(ORDERS)),
    { cwd: project.folder, env: project.env, stdio: ["ignore", "pipe", "inherit"] },
  );
  const exited = once(child, "exit");
  const own: OrdersLine[] = [];
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    const read = parts.map((text) => JSON.parse(text) as OrdersLine);
    own.push(...read);
    lines.push(...read);
  });
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  onTestFinished(kill);
  return {
    hasSubmitted: () => own.some((line) => "submitted" in line),
    hasWorked: () => own.some((line) => "ran" in line),
    kill,
  };
}

/** Lists all operations with one of the runtimes. */
function list(path: string): readonly { readonly id: string; readonly state: string }[] {
  const member = fleet[0] as SqliteRuntime;
  const output = execFileSync(programOf(member.runtime), argumentsOf(member, path, "list"), {
    cwd: project.folder,
    env: project.env,
    encoding: "utf8",
  });
  const line = JSON.parse(output) as OrdersLine;
  return "operations" in line ? line.operations : [];
}

import { type ChildProcessByStdio, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { OrdersLine } from "./inside/orders-on-sqlite.js";
import { isSkipped, programOf } from "./matrix.js";
import { useProject } from "./project.js";
import { type SqliteRuntime, sqliteRuntimes } from "./sqlite-clients.js";

const ORDERS = 300;
const fleet = sqliteRuntimes.filter(({ runtime }) => ["Node 22", "Bun", "Deno"].includes(runtime.name));

const project = useProject();

describe("processes of Node, Bun and Deno that share an SQLite file", () => {
  it.skipIf(fleet.some(({ runtime }) => isSkipped(runtime)))(
    "complete each of the orders that all of them submit once, while each of them is killed and restarted",
    async () => {
      const path = join(project().folder, "shared.db");
      const lines: OrdersLine[] = [];
      const start = (member: SqliteRuntime) => startOrders(member, path, lines);
      const running = fleet.map(start);
      for (const [index, member] of fleet.entries()) {
        await vi.waitUntil(() => running[index]?.hasWorked());
        await running[index]?.kill();
        running[index] = start(member);
      }
      await vi.waitUntil(() => running.every(({ hasSubmitted }) => hasSubmitted()));
      const isDone = (): boolean => list(path).every(({ state }) => state === "completed");
      await vi.waitUntil(isDone, { interval: 500 });

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

const deno = fleet.find(({ runtime }) => runtime.name === "Deno") as SqliteRuntime;

describe.skipIf(process.platform !== "linux" || isSkipped(deno.runtime))(
  "a process of Deno that waits for work",
  () => {
    it("notices what other processes accept, and keeps its locks while they open and close the file", async () => {
      const path = join(project().folder, "locked.db");
      const lines: OrdersLine[] = [];
      const waiting = startOrders(deno, path, lines, "wait");
      await vi.waitUntil(waiting.hasSubmitted);
      for (let submitted = 1; submitted <= 5; submitted += 1) {
        run(path, "submit", `order-${submitted}`);
        await vi.waitUntil(() => lines.filter((line) => "ran" in line).length === submitted);
        expect(lockedFiles(waiting.pid)).toEqual(expect.arrayContaining([path, `${path}-shm`].map(inodeOf)));
      }
    });
  },
);

/** Returns the inodes of the files on which a process holds POSIX locks. */
function lockedFiles(pid: number | undefined): readonly number[] {
  const fields = readFileSync("/proc/locks", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  return fields.filter((line) => line[4] === String(pid)).map((line) => Number(line[5]?.split(":")[2]));
}

const inodeOf = (path: string): number => statSync(path).ino;

function argumentsOf({ runtime, client }: SqliteRuntime, ...rest: readonly string[]): readonly string[] {
  return [...runtime.options, "orders-on-sqlite.mjs", client, ...rest];
}

/** Starts a process and collects what it prints. It is killed after the test. */
function startOrders(member: SqliteRuntime, path: string, lines: OrdersLine[], role = "work") {
  const child: ChildProcessByStdio<null, Readable, null> = spawn(
    programOf(member.runtime),
    argumentsOf(member, path, role, String(ORDERS)),
    { cwd: project().folder, env: project().env, stdio: ["ignore", "pipe", "inherit"] },
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
    pid: child.pid,
    hasSubmitted: () => own.some((line) => "submitted" in line),
    hasWorked: () => own.some((line) => "ran" in line),
    kill,
  };
}

/** Runs the program to its end with one of the runtimes, and returns what it prints. */
function run(path: string, ...role: readonly string[]): string {
  const member = fleet[0] as SqliteRuntime;
  return execFileSync(programOf(member.runtime), argumentsOf(member, path, ...role), {
    cwd: project().folder,
    env: project().env,
    encoding: "utf8",
  });
}

/** Lists all operations. */
function list(path: string): readonly { readonly id: string; readonly state: string }[] {
  const line = JSON.parse(run(path, "list")) as OrdersLine;
  return "operations" in line ? line.operations : [];
}

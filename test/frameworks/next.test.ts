import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { isSkipped, programOf } from "../runtimes/matrix.js";
import { isNight } from "../support/effort.js";
import { freePort } from "../support/free-port.js";
import { next, nextQuickStart, store } from "./applications/next.js";
import { behaviors, finishesRequests, submit } from "./behaviors.js";
import { openProjects, type Projects } from "./project.js";
import { type Server, startServer } from "./server.js";

const { runtime, variables, mounted, own } = nextQuickStart;

/** Accepts a report into the file of the quick start, in a process without a worker. */
const SUBMIT = `${store.opening}
import { createService, defineOperation } from "async-request-reply";
import * as z from "zod";
const input = z.object({ year: z.int() });
const result = z.object({ pages: z.int() });
const reports = defineOperation({ name: "reports", path: "/reports", input, result });
const service = createService({ ${store.backend}, definitions: [reports] });
await service.submit(reports, { year: 2026 }, { tenant: "ann" });
await service.close();
`;

/** Shows the states and attempts of all operations in the file. */
const READ = `
import { DatabaseSync } from "node:sqlite";
const rows = new DatabaseSync("orders.db").prepare("select state, attempt from arr_operations order by rowid").all();
console.log(rows.map(({ state, attempt }) => state + " " + attempt).join());
`;

/** The work of the quick start, which ends when the file `go` exists. */
const WORK = `reports: async ({ year }) => {
    const { existsSync } = await import("node:fs");
    while (!existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 20));
    return { pages: year - 1999 };
  },`;

const versions = [
  { name: "the current major version", frameworks: import.meta.dirname, application: nextQuickStart },
  {
    name: "the previous major version",
    frameworks: join(import.meta.dirname, "previous"),
    application: { ...nextQuickStart, ...nextQuickStart.previous },
  },
];

/** The previous one runs at night. */
const played = isNight ? versions : versions.slice(0, 1);
const isMissing =
  !process.env.CI && !played.every(({ frameworks }) => existsSync(join(frameworks, "node_modules")));

describe.skipIf(isMissing || isSkipped(runtime)).each(played)(
  "the quick start of Next.js on SQLite, with $name",
  { timeout: 300_000 },
  ({ frameworks, application }) => {
    let projects: Projects;
    let folder: string;
    let port: number;
    let server: Server;
    beforeAll(async () => {
      projects = openProjects();
      port = await freePort();
      const others = [
        { path: "submit.mjs", text: SUBMIT },
        { path: "read.mjs", text: READ },
      ];
      const files = [...application.files, ...others];
      folder = await projects.create({ ...application, files, build: ["submit.mjs"] }, frameworks, port);
    });
    afterAll(async () => {
      await server?.kill();
      projects?.remove();
    });

    const run = (...args: readonly string[]) =>
      promisify(execFile)(programOf(runtime), args, { cwd: folder });
    const operations = async (): Promise<string> => (await run("read.mjs")).stdout.trim();
    function edit(before: string | RegExp, after: string): void {
      const file = join(folder, "reports.js");
      writeFileSync(file, readFileSync(file, "utf8").replace(before, after));
    }
    async function pages(): Promise<number> {
      const reply = await submit(server, mounted.path, mounted.body, { prefer: "wait=20" });
      const { result } = (await reply.json()) as { readonly result: { readonly pages: number } };
      return result.pages;
    }

    it("runs no work while it builds", async () => {
      edit(/reports: async .*$/m, WORK);
      await run(...next("build"));
      expect(await operations()).toBe("pending 0");
    });

    it("runs what waits when the server starts, and finishes it on SIGTERM", async () => {
      server = await startServer(runtime, next("start"), { folder, port, variables });
      await vi.waitUntil(async () => (await operations()) === "pending 1", {
        timeout: 120_000,
        interval: 50,
      });
      server.terminate();
      await vi.waitUntil(async () => (await server.fetch(mounted.path)).status === 503, { timeout: 120_000 });
      writeFileSync(join(folder, "go"), "");
      expect(await server.ended).toBe(0);
      expect(await operations()).toBe("completed 1");
    });

    describe("when it has started again", () => {
      beforeAll(async () => {
        server = await startServer(runtime, next("start"), { folder, port, variables });
      });
      for (const { name, run } of [...own, ...behaviors, finishesRequests])
        it(name, () => expect(run(server, application)).resolves.toBeUndefined());
    });

    it("runs the new code after an edit in development, and no old code any more", async () => {
      server = await startServer(runtime, next("dev"), { folder, port });
      expect(await pages()).toBe(27);
      edit("year - 1999", "year - 1000");
      await vi.waitUntil(async () => (await pages()) === 1026, { timeout: 120_000, interval: 50 });
      const all = await Promise.all(Array.from({ length: 20 }, pages));
      expect(all).toEqual(Array.from({ length: 20 }, () => 1026));
      server.terminate();
      await server.ended;
    });
  },
);

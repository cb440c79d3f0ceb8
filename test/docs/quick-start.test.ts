import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readQuickStart } from "../runtimes/quick-starts/quick-start.js";
import { blocksOf, page } from "../support/pages.js";
import { openWorkshop } from "./execute.js";
import { quickStartOn, quickStarts } from "./quick-starts.js";

const [quickStart] = blocksOf(page("README.md"), "js");
if (quickStart === undefined) throw new Error("README.md has no program");

/** The comment at the top of an example. */
const COMMENT = /^\/\*\*[\s\S]*?\*\/\n/;

/** Listens on any free port instead of the fixed one, and sends the port to the test. */
const LISTEN =
  ".listen(0, '127.0.0.1', function () { process.send?.((this.address() as { port: number }).port); })";

describe("the quick start of the README", () => {
  const workshop = openWorkshop();
  let program: ChildProcess;
  let base: string;

  beforeAll(async () => {
    const text = quickStart.text.replace(".listen(3000)", LISTEN);
    program = fork(await workshop.bundle({ ...quickStart, text }), { stdio: "inherit" });
    const [port] = await once(program, "message");
    base = `http://127.0.0.1:${port}`;
  });
  afterAll(() => {
    program?.kill("SIGKILL");
    workshop.remove();
  });

  const authorization = "Bearer demo-token";

  function submit(year: number, key: string): Promise<Response> {
    const headers = { authorization, "content-type": "application/json", "idempotency-key": key };
    return fetch(`${base}/reports`, { method: "POST", headers, body: JSON.stringify({ year }) });
  }

  async function ended(location: string): Promise<Record<string, unknown>> {
    for (;;) {
      const response = await fetch(base + location, { headers: { authorization } });
      const operation = (await response.json()) as Record<string, unknown>;
      if (operation.status !== "pending") return operation;
    }
  }

  it.each([page("docs/index.md"), quickStartOn("Node.js")])("is the same in $path", (shown) => {
    const [program] = blocksOf(shown, "js");
    expect(program?.text).toBe(quickStart.text);
  });

  it("has at most 20 lines of code", () => {
    const lines = quickStart.text.split("\n").filter((line) => line.trim() !== "");
    expect(lines.length).toBeLessThanOrEqual(20);
  });

  it("accepts and completes the work, and replays the reply when the key is used again", async () => {
    const first = await submit(2026, "first");
    expect(first.status).toBe(202);
    const location = first.headers.get("location") ?? "";
    expect(await ended(location)).toMatchObject({ status: "completed", result: { pages: 27 } });
    const again = await submit(2026, "first");
    expect(again.status).toBe(202);
    expect(again.headers.get("location")).toBe(location);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  });

  it("refuses another payload with the key, and an input that the schema refuses", async () => {
    expect((await submit(2027, "first")).status).toBe(422);
    expect((await submit(1999, "second")).status).toBe(422);
  });

  it("exits with code 0 on SIGTERM", async () => {
    program.kill("SIGTERM");
    expect(await once(program, "exit")).toEqual([0, null]);
  });
});

describe("the quick start of the site", () => {
  const [definition] = /^const reports = [\s\S]*?^\}\);$/m.exec(quickStart.text) ?? [];
  if (definition === undefined) throw new Error("README.md defines no reports");

  /** The steps after the first file, on platforms with more than one. */
  const further: Readonly<Record<string, readonly unknown[]>> = {
    "Next.js": [
      { path: "instrumentation.js", text: expect.stringContaining("worker.start()") },
      { path: "app/api/[...path]/route.js", text: expect.stringContaining("toFetchHandler") },
      { command: "npx next build" },
    ],
    "Cloudflare Workers": [
      { path: "directory.ts", text: expect.stringContaining("createDirectoryObject") },
      { path: "worker.ts", text: expect.stringContaining("routeToTenant") },
      { path: "wrangler.jsonc", text: expect.stringContaining("new_sqlite_classes") },
    ],
  };

  it("has a tab for each of eight platforms", () => {
    expect(quickStarts.map(({ platform }) => platform)).toEqual([
      "Node.js",
      "Express",
      "Fastify",
      "Hono",
      "Next.js",
      "Bun",
      "Deno",
      "Cloudflare Workers",
    ]);
  });

  it.each(quickStarts)(
    "installs the package, writes a program with the definition of the README, starts it and calls it: $platform",
    ({ platform, page }) => {
      const { preparation, servers, session } = readQuickStart(page);
      expect(preparation).toEqual([
        { command: "mkdir reports" },
        { command: "cd reports" },
        { command: expect.stringMatching(/(install|add) (npm:)?async-request-reply (npm:)?zod/) },
        { path: expect.any(String), text: expect.stringContaining(definition) },
        ...(further[platform] ?? []),
      ]);
      expect(servers).toHaveLength(1);
      expect(session.filter(({ input }) => input.includes("curl"))).toHaveLength(4);
    },
  );

  it("shows the example with Durable Objects", () => {
    const { preparation } = readQuickStart(quickStartOn("Cloudflare Workers"));
    const shown = preparation.flatMap((step) => ("path" in step ? [step] : []));
    const files = shown.map(({ path }) => page(`examples/durable-objects/${path}`).text.replace(COMMENT, ""));
    expect(shown.map(({ text }) => text)).toEqual(files);
  });
});

import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sectionOf } from "../docs/sections.js";
import { nodes } from "../runtimes/matrix.js";
import { blocksOf, page } from "../support/pages.js";
import { describeWithTool, type Finding, runTool, versions } from "./installed.js";
import { type MediaServer, startMediaServer } from "./media-server.js";

/** An example of generated-clients.md. */
interface Example {
  transcribe(file: string, key: string, restoreFrom?: string): PromiseLike<number | undefined>;
}

/** The poller that the example for Azure returns. */
interface Poller extends PromiseLike<number | undefined> {
  serialize(): Promise<string>;
  submitted(): Promise<void>;
  readonly operationState?: { readonly status: string; readonly config: { operationLocation?: string } };
}

const generated = [sectionOf("docs/openapi.md", "Other generators"), page("test/tools/generated-clients.md")];
const blocksIn = (language: string) => generated.flatMap((each) => blocksOf(each, language));
const commands = blocksIn("sh").flatMap(({ text }) => text.trim().split("\n"));
const modules = blocksIn("ts").map(({ info, text }) => ({
  file: info.at(-1)?.slice(1, -1) ?? "",
  text: inLoop(text),
}));
const examples = ["openapi-fetch", "orval", "kubb", "azure"];

/** Compiles only if the results are known after `definition` was compared, and not before. */
const typed = `
import type { Operation as OfKubb } from "./kubb/index.js";
import type { Operation as OfOrval } from "./media.js";
import type { components } from "./schema.js";
${["OfKubb", "OfOrval", 'components["schemas"]["Operation"]']
  .map(
    (type, index) => `
export function check${index}(operation: ${type}): string | undefined {
  if (operation.definition === "transcripts" && operation.status === "pending")
    operation.progress?.percent satisfies number | undefined;
  if (operation.status === "failed") return operation.error.name;
  if (operation.status !== "completed") return undefined;
  if (operation.definition === "thumbnails") return operation.result?.url;
  // @ts-expect-error -- the result of a transcript has no URL
  return operation.result?.url;
}`,
  )
  .join("")}
`;

const options = [
  ...["--strict", "--exactOptionalPropertyTypes", "false", "--module", "nodenext", "--target", "es2022"],
  ...["--lib", "es2023,dom,dom.iterable", "--types", "node", "--rootDir", "."],
];

it("are generated with the versions that the pages install", () => {
  const named = commands.flatMap((command) => command.match(/\S+(?<=[a-z])@\d\S+/g) ?? []);
  expect(named.length).toBeGreaterThan(5);
  const other = named.filter((each) => {
    const [, name = "", version] = /^(.+)@(.+)$/.exec(each) ?? [];
    return versions[name] !== version;
  });
  expect(other).toEqual([]);
});

describeWithTool("openapi-typescript", "clients generated from the document of a service", () => {
  const folder = mkdtempSync(join(tmpdir(), "clients-"));
  let server: MediaServer;
  const findings: Record<string, Finding> = {};
  const clients = new Map<string, Example>();
  const exampleOf = (name: string): Example => clients.get(name) ?? expect.unreachable(`no example ${name}`);

  beforeAll(async () => {
    server = await startMediaServer();
    symlinkSync(join(import.meta.dirname, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "openapi.json"), JSON.stringify(server.document));
    writeFileSync(join(folder, "typed.ts"), typed);
    for (const { file, text } of modules)
      writeFileSync(join(folder, file), text.replace("http://localhost:3000", server.baseUrl));
    for (const [tool = "", ...args] of commands.flatMap(asGenerator))
      findings[tool] = await runTool(tool, args, folder, newestNode);
    const files = ["typed", ...examples].map((name) => `${name}.ts`);
    findings.tsc = await runTool("tsc", [...files, ...options], folder);
    for (const name of examples)
      clients.set(name, (await import(pathToFileURL(join(folder, `${name}.js`)).href)) as Example);
  });
  afterAll(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("are generated without warnings, by each generator of the page", () => {
    const outputs = Object.entries(findings).map(([tool, { succeeded, stdout, stderr }]) => [
      tool,
      succeeded,
      /warn|⚠|✗/i.test(stdout + stderr),
    ]);
    expect(outputs).toEqual([
      ["openapi-typescript", true, false],
      ["orval", true, false],
      ["kubb", true, false],
      ["tsc", true, false],
    ]);
  });

  it("compile strictly, and know a result after `definition` was compared", () => {
    expect(findings.tsc).toEqual({ succeeded: true, stdout: "", stderr: "" });
  });

  it.each(examples)("follow work to its end, also when it is repeated with its key: %s", async (name) => {
    const { transcribe } = exampleOf(name);
    const key = randomUUID();
    expect(await transcribe("a.mp3", key)).toBe(7);
    const begun = server.begun();
    expect(await transcribe("a.mp3", key)).toBe(7);
    expect(server.begun()).toBe(begun);
  });

  describe.each([
    { name: "openapi-fetch", failed: "The work failed", refused: "The body violates the contract" },
    { name: "orval", failed: "The work failed", refused: "refused: 422" },
    { name: "kubb", failed: "The work failed", refused: "refused: 422" },
    { name: "azure", failed: "The file has no sound.", refused: "The body violates the contract" },
  ])("report", ({ name, failed, refused }) => {
    it(`that the work failed: ${name}`, async () => {
      await expect(exampleOf(name).transcribe("broken.mp3", randomUUID())).rejects.toThrow(failed);
    });

    it(`that the submission was refused: ${name}`, async () => {
      await expect(exampleOf(name).transcribe(7 as never, randomUUID())).rejects.toThrow(refused);
    });
  });

  describe("the poller of Azure", () => {
    const transcribe = (...args: Parameters<Example["transcribe"]>): Poller =>
      exampleOf("azure").transcribe(...args) as Poller;

    it("continues after a restart", async () => {
      const first = transcribe("a.mp3", randomUUID());
      const begun = server.begun();
      const restored = transcribe("unused", randomUUID(), await first.serialize());
      expect(await restored).toBe(7);
      expect(server.begun()).toBe(begun + 1);
    });

    it("ends with an error if the operation is cancelled", async () => {
      const poller = transcribe("long.mp3", randomUUID());
      await poller.submitted();
      const { operationLocation = "" } = poller.operationState?.config ?? {};
      const cancelled = await fetch(new URL(operationLocation, server.baseUrl), { method: "DELETE" });
      expect(cancelled.ok).toBe(true);
      await expect(poller).rejects.toThrow("Operation was canceled");
      expect(poller.operationState?.status).toBe("canceled");
    });
  });
});

/** orval needs Node 22 or later. */
const newestNode: string = [
  ...nodes.filter(({ name }) => name === "Node 24").map(({ program }) => dirname(program)),
  process.env.PATH,
].join(delimiter);

/** Completes an example whose last statements are repeated until the operation has ended. Returns any other one as it is. */
function inLoop(text: string): string {
  const [submitting = "", reading] = text.split("\n// Until it has ended:\n");
  if (reading === undefined) return text;
  const IMPORTS = /^import .*\n/gm;
  return `${submitting.match(IMPORTS)?.join("")}
import { setTimeout as sleep } from "node:timers/promises";
export async function transcribe(file: string, key: string): Promise<number | undefined> {
${submitting.replaceAll(IMPORTS, "")}
  for (;;) {
${reading}
    if (operation.status === "failed") throw new Error(operation.error.title);
    if (operation.status === "completed")
      return operation.definition === "transcripts" ? operation.result?.words : undefined;
    await sleep(1_000 * Number(retryAfter));
  }
}
`;
}

/** Returns the program and its arguments if the command runs a generator. */
function asGenerator(command: string): string[][] {
  const [npx, tool = "", ...args] = command.split(" ");
  return npx === "npx" ? [[tool.replace(/@[\d.]+$/, ""), ...args]] : [];
}

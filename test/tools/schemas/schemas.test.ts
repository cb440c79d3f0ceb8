import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { allowAnonymous, createService, createWorker, type OperationDefinition } from "async-request-reply";
import { createOpenApiDocument } from "async-request-reply/openapi";
import { beforeAll, describe, expect, it } from "vitest";
import { readDocument } from "../../openapi/document-reader.js";
import { info } from "../../support/openapi-services.js";
import { blocksOf, page } from "../../support/pages.js";
import { inferred } from "./inferred.js";

const folder = join(import.meta.dirname, "../node_modules");
const isInstalled = ["arktype", "effect", "typebox", "valibot", "zod-3"].every((name) =>
  existsSync(join(folder, name)),
);

/** Libraries whose schemas have no JSON Schema. */
const untold = ["zod3", "valibot", "effect", "effect3"];

const order = { account: "7", lines: [{ quantity: 1 }] };

interface Reply {
  readonly operationId: string;
  readonly errors?: readonly { readonly pointer: string }[];
}

/** Serves one definition. The worker returns `result`. */
function serve(definition: OperationDefinition, result: unknown) {
  const service = createService({ definitions: [definition], authorize: allowAnonymous() });
  const worker = createWorker(service, { exports: () => result });
  const post = async (input: unknown) => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify(input);
    const reply = await service.handle({ method: "POST", path: "/exports", headers, body });
    return { status: reply.status, body: JSON.parse(String(reply.body)) as Reply };
  };
  return { service, worker, post };
}

/** Submits work, runs it, and returns the operation. */
async function ended(definition: OperationDefinition, result: unknown) {
  const { service, worker, post } = serve(definition, result);
  const { body } = await post(order);
  await worker.runUntilIdle();
  const operation = await service.get(definition, body.operationId, { tenant: "anonymous" });
  await service.close();
  return operation;
}

describe.skipIf(!isInstalled && !process.env.CI)("a definition with the schemas of a library", () => {
  let libraries: Readonly<Record<string, OperationDefinition>>;
  const names = Object.keys(inferred);
  const definitionOf = (name: string): OperationDefinition =>
    libraries[name] ?? expect.unreachable(`no library ${name}`);
  beforeAll(async () => {
    libraries = { ...(await import("./libraries.js")) };
  });

  it("is tested for every library", () => {
    expect(Object.keys(libraries).sort()).toEqual([...names].sort());
  });

  it.each(names)("points to each violation of the input: %s", async (name) => {
    const { post, service } = serve(definitionOf(name), undefined);
    const { status, body } = await post({ account: "", lines: [{ quantity: 1 }, { quantity: "x" }] });
    const pointers = (body.errors ?? []).map(({ pointer }) => pointer);
    expect(status).toBe(422);
    expect([...new Set(pointers)].sort()).toEqual(["#/account", "#/lines/1/quantity"]);
    await service.close();
  });

  it.each(names)("runs the work, and refuses a wrong result: %s", async (name) => {
    expect(await ended(definitionOf(name), { rows: 2 })).toMatchObject({
      status: "completed",
      result: { rows: 2 },
    });
    expect(await ended(definitionOf(name), { rows: "two" })).toMatchObject({
      status: "failed",
      error: { name: "invalid-result" },
    });
  });

  it.each(names.filter((name) => !untold.includes(name)))(
    "describes input, result and progress in the OpenAPI document: %s",
    (name) => {
      const { service } = serve(definitionOf(name), undefined);
      const { isValid } = readDocument(createOpenApiDocument(service, { info }));
      const judge = (schema: string, value: unknown): boolean =>
        isValid({ $ref: `#/components/schemas/Exports${schema}` }, value);
      const judged = [
        { schema: "Input", right: order, wrong: { ...order, account: "" } },
        { schema: "Input", right: { ...order, note: "a" }, wrong: { ...order, lines: [{ quantity: 0 }] } },
        { schema: "Input", right: order, wrong: { account: "7" } },
        { schema: "Result", right: { rows: 1 }, wrong: { rows: 0.5 } },
        { schema: "Progress", right: { percent: 1 }, wrong: { percent: "1" } },
      ].map(({ schema, right, wrong }) => [judge(schema, right), judge(schema, wrong)]);
      expect(judged).toEqual(Array(5).fill([true, false]));
    },
  );

  it.each(untold)("claims nothing in the OpenAPI document without a JSON Schema: %s", (name) => {
    const { service } = serve(definitionOf(name), undefined);
    const { components } = createOpenApiDocument(service, { info });
    expect(components.schemas.ExportsInput).toEqual({ description: expect.stringContaining("`exports`") });
    expect(Object.keys(components.schemas)).not.toContain("ExportsResult");
  });

  it("uses the code of docs/define-work.md", () => {
    const source = normalized(readFileSync(join(import.meta.dirname, "libraries.ts"), "utf8"));
    const glue = blocksOf(page("docs/define-work.md"), "ts").filter(({ info: words }) =>
      words.includes("[glue.ts]"),
    );
    expect(glue).toHaveLength(2);
    for (const { text } of glue) {
      const [, code = ""] = /^(?:import .*\n)*\n?([\s\S]*)$/.exec(text) ?? [];
      expect(source).toContain(normalized(code));
    }
  });

  it("has the versions of docs/define-work.md", () => {
    const packages = ["zod-3", "valibot", "arktype", "effect", "effect-3", "typebox", "@sinclair/typebox"];
    const { text } = page("docs/define-work.md");
    for (const name of [...packages, "../../../node_modules/zod"])
      expect(text).toMatch(new RegExp(`\\| ${versionOf(join(folder, name))} \\|`));
  });
});

function versionOf(installed: string): string {
  const { version } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
    version: string;
  };
  return version.split(".").slice(0, 2).join(".");
}

function normalized(code: string): string {
  return code
    .replace(/^\/\*\*.*\*\/$/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

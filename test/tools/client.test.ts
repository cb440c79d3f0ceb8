import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sectionOf } from "../docs/sections.js";
import { type ServerProcess, startServer } from "../support/orders-server-process.js";
import { blocksOf } from "../support/pages.js";
import { describeWithTool, type Finding, runTool, versions } from "./installed.js";

const section = sectionOf("docs/openapi.md", "Generating a client");

/** The module in this section, which uses the generated ones. */
interface Example {
  follow(order: { readonly itemId: string; readonly quantity: number }, key: string): Promise<unknown>;
}

const [example] = blocksOf(section, "ts");

const options = [
  ...["--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2023,dom,dom.iterable"],
  ...["--types", "node", "--typeRoots", join(import.meta.dirname, "node_modules/@types")],
];

/** Compiles only if the client has the type of an order, because a missing expected error is an error. */
const typed = `
import type { OrdersInput } from "./client/index.js";
export const right: OrdersInput = { itemId: "book", quantity: 1 };
// @ts-expect-error
export const wrong: OrdersInput = { itemId: "book", quantity: "1" };
`;

it("is generated with the versions that docs/openapi.md installs", () => {
  const [commands] = blocksOf(section, "sh");
  const packages = ["@hey-api/openapi-ts", "typescript"].map((name) => `${name}@${versions[name]}`);
  expect(commands?.text.split("\n")[0]).toBe(`npm install --save-dev ${packages.join(" ")}`);
});

describeWithTool("openapi-ts", "a client generated from the document of the example server", () => {
  const folder = mkdtempSync(join(tmpdir(), "client-"));
  let server: ServerProcess;
  let generated: Finding;
  let compiled: Finding;
  let client: Example;

  beforeAll(async () => {
    server = await startServer({ WORK_MS: "20" });
    const input = `${server.baseUrl}/openapi.json`;
    generated = await runTool("openapi-ts", ["--input", input, "--output", "client"], folder);
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const text = example?.text.replace("http://localhost:3000", server.baseUrl) ?? "";
    writeFileSync(join(folder, "follow.ts"), text);
    writeFileSync(join(folder, "typed.ts"), typed);
    compiled = await runTool("tsc", ["follow.ts", "typed.ts", ...options], folder);
    client = (await import(pathToFileURL(join(folder, "follow.js")).href)) as Example;
  });
  afterAll(async () => {
    await server?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  it("is generated without warnings and compiles strictly with the types of the document", () => {
    expect(generated).toMatchObject({ succeeded: true, stderr: "" });
    expect(compiled).toEqual({ succeeded: true, stdout: "", stderr: "" });
  });

  it("submits an order and follows it to its end, also when it is repeated with its key", async () => {
    const order = { itemId: "book", quantity: 1 };
    const operation = await client.follow(order, "key-of-a-book");
    expect(operation).toMatchObject({ status: "completed", result: { shipped: true, ...order } });
    expect(await client.follow(order, "key-of-a-book")).toEqual(operation);
  });

  it("reports why the work failed", async () => {
    expect(await client.follow({ itemId: "fail", quantity: 1 }, "key-of-a-failure")).toMatchObject({
      status: "failed",
      error: { type: expect.stringMatching(/#work-failed$/), detail: "The item fail is out of stock." },
    });
  });

  it("reports the violations in a 422", async () => {
    const refused = client.follow({ itemId: "", quantity: 0 }, "key-of-nothing");
    await expect(refused).rejects.toThrow("#/itemId must not be empty, #/quantity must be greater than 0");
  });
});

import { join } from "node:path";
import { expect, it } from "vitest";
import { root, run } from "../support/built.js";

it("accepts the module `@opentelemetry/api` by its types", () => {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  expect(run(process.execPath, [tsc, "-p", import.meta.dirname], root)).toBe("");
});

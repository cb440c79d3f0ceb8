import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PackedExamples, packExamples } from "./packed-examples.js";

const { dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8")) as {
  readonly dependencies: Readonly<Record<string, string>>;
};
const compilers = Object.keys(dependencies).filter((name) => /^typescript\b/.test(name));
const programOf = (compiler: string): string =>
  join(import.meta.dirname, "node_modules", compiler, "bin/tsc");

describe("the packed package", () => {
  let packed: PackedExamples;
  beforeAll(() => {
    packed = packExamples();
  });
  afterAll(() => packed?.remove());

  it("is built by packing it", () => {
    expect(packed.files).toEqual(
      expect.arrayContaining(["index.js", "index.cjs", "index.d.ts", "index.d.cts"]),
    );
  });

  describe.each(compilers)("compiles with %s", (compiler) => {
    const isMissing = !existsSync(programOf(compiler));
    it.skipIf(isMissing && !process.env.CI)("together with the examples", () => {
      if (isMissing) expect.unreachable(`${compiler} is missing: npm ci --prefix test/tools`);
      expect(errorsOf(compiler, packed.folder)).toEqual([]);
    });
  });
});

/** Returns the errors in the examples and the package's declarations. Other packages may need a newer compiler. */
function errorsOf(compiler: string, cwd: string): readonly string[] {
  const args = [programOf(compiler), "--pretty", "false"];
  const { stdout } = spawnSync(process.execPath, args, { cwd, encoding: "utf8" });
  const own = "node_modules/async-request-reply/";
  return stdout
    .split("\n")
    .filter((line) => line.includes("error TS") && (line.startsWith(own) || !line.includes("node_modules/")));
}

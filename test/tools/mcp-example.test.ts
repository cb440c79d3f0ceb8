import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { page, root } from "../support/pages.js";

const folder = join(root, "examples/mcp-tools");
const compiler = join(import.meta.dirname, "node_modules/typescript-7.0/bin/tsc");
const isMissing = !existsSync(join(folder, "node_modules")) || !existsSync(compiler);

describe("the MCP example", () => {
  it("is tested with the versions that docs/mcp.md names", () => {
    const { dependencies, devDependencies } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    ) as Readonly<Record<"dependencies" | "devDependencies", Readonly<Record<string, string>>>>;
    const rows = [...page("docs/mcp.md").text.matchAll(/^\| (`@.*) \| (\S+) \|$/gm)];
    const named = rows.flatMap(([, names = "", version]) =>
      [...names.matchAll(/`(@[^`]+)`/g)].map(([, name = ""]) => [name, version]),
    );
    const { zod: _, ...installed } = { ...dependencies, ...devDependencies };
    expect(Object.fromEntries(named)).toEqual(installed);
  });

  it.skipIf(isMissing && !process.env.CI)("compiles with the SDK", () => {
    if (isMissing)
      expect.unreachable("Run `npm ci --prefix examples/mcp-tools && npm ci --prefix test/tools`.");
    const { stdout } = spawnSync(process.execPath, [compiler, "--pretty", "false"], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(stdout).toBe("");
  });
});

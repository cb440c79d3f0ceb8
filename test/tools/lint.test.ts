import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { documentOf, services } from "../support/openapi-services.js";
import { describeWithTool, type Finding, runTool } from "./installed.js";

const names = Object.keys(services);

/** A document that every tool should reject. */
const wrong = { ...documentOf("the order service"), info: { title: "no version" } };

/** Runs a tool on a document in a temporary folder. */
async function judge(document: unknown, tool: string, args: readonly string[] = []): Promise<Finding> {
  const folder = mkdtempSync(join(tmpdir(), "openapi-"));
  writeFileSync(join(folder, "openapi.json"), JSON.stringify(document));
  try {
    return await runTool(tool, [...args, "openapi.json"], folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describeWithTool("redocly", "the recommended rules of Redocly", () => {
  const args = ["lint", "--extends", "recommended", "--format", "json"];

  it.concurrent.for(names)("find no errors and no warnings in a document: %s", async (name, { expect }) => {
    const { stdout } = await judge(documentOf(name), "redocly", args);
    expect(JSON.parse(stdout)).toMatchObject({
      problems: [],
      totals: { errors: 0, warnings: 0, ignored: 0 },
    });
  });

  it("find an error", async () => {
    const { succeeded, stdout } = await judge(wrong, "redocly", args);
    expect(succeeded).toBe(false);
    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 1 } });
  });
});

describeWithTool("validate-api", "the JSON Schema of OpenAPI 3.1", () => {
  it.concurrent.for(names)("accepts a document: %s", async (name, { expect }) => {
    expect(JSON.parse((await judge(documentOf(name), "validate-api")).stdout)).toEqual({ valid: true });
  });

  it("rejects a wrong document", async () => {
    expect(JSON.parse((await judge(wrong, "validate-api")).stdout)).toMatchObject({ valid: false });
  });
});

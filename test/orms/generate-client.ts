import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const FOLDER = import.meta.dirname;

/** Global setup of Vitest: generates the client of Prisma, as JavaScript too, which processes can load. */
export function setup(): void {
  execFileSync(join(FOLDER, "node_modules/.bin/prisma"), ["generate"], {
    cwd: FOLDER,
    stdio: ["ignore", "ignore", "inherit"],
    // Without this, the command downloads an engine that it does not use.
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath },
  });
  const client = join(FOLDER, "generated/prisma");
  for (const name of readdirSync(client, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".ts")) continue;
    const text = readFileSync(join(client, name), "utf8");
    writeFileSync(join(client, name.replace(/ts$/, "js")), toJavaScript(text));
  }
}

/** Compiles TypeScript, as it runs on Node. */
export function toJavaScript(text: string): string {
  const { ModuleKind, ScriptTarget } = ts;
  const target = { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 };
  return ts.transpileModule(text, { compilerOptions: { ...target, experimentalDecorators: true } })
    .outputText;
}

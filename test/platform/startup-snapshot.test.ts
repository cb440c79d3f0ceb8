import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, it, onTestFinished } from "vitest";

const run = promisify(execFile);

const PROGRAM = `
import { startupSnapshot } from "node:v8";
import { createSystemRuntime } from "./src/platform/system-runtime.ts";
const runtime = createSystemRuntime();
// Fills the pool, and leaves most of it to the processes.
runtime.newToken();
startupSnapshot.setDeserializeMainFunction(() => {
  console.log(JSON.stringify([runtime.newToken(), runtime.newId().slice(-12)]));
});
`;

it("processes from one startup snapshot share neither tokens nor the random part of ids", async () => {
  const folder = await mkdtemp(join(tmpdir(), "snapshot-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [script, blob] = [join(folder, "program.cjs"), join(folder, "snapshot.blob")];
  const stdin = { contents: PROGRAM, resolveDir: process.cwd(), loader: "ts" } as const;
  await build({ stdin, bundle: true, platform: "node", format: "cjs", outfile: script });
  await run(process.execPath, ["--snapshot-blob", blob, "--build-snapshot", script]);
  const start = async (): Promise<readonly string[]> => {
    const { stdout } = await run(process.execPath, ["--snapshot-blob", blob]);
    return JSON.parse(stdout);
  };
  const values = [await start(), await start()].flat();
  expect(values).toHaveLength(4);
  expect(new Set(values).size).toBe(4);
});

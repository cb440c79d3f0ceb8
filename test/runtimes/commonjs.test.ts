import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, it } from "vitest";
import { manifest } from "../support/built.js";
import type { Loaded } from "./inside/require-everything.js";
import { isSkipped, loadTestOf, programOf, type Runtime, runtimesWithRequire } from "./matrix.js";
import { openProject, type Project } from "./project.js";

const specifiers = Object.keys(manifest.exports).map((subpath) => subpath.replace(".", manifest.name));

let project: Project;
beforeAll(async () => {
  project = await openProject();
});
afterAll(() => project?.remove());

// Each CommonJS file of the package only requires an ES module, so nothing but loading it can differ.
describe.concurrent("a CommonJS program", () => {
  for (const runtime of runtimesWithRequire)
    it.skipIf(isSkipped(runtime))(loadTestOf(runtime), async ({ expect }) => {
      const { names, recognized, others } = await loadIn(runtime);
      expect(Object.keys(names)).toEqual(specifiers);
      for (const [specifier, { required, imported }] of Object.entries(names)) {
        expect(imported.length, specifier).toBeGreaterThan(0);
        expect(required, specifier).toEqual(imported);
      }
      // `.` and `/client`, each required and imported.
      expect(recognized).toEqual(Array(4).fill([true, true, true, true]));
      expect(others).toEqual([false, false, false, false]);
    });
});

async function loadIn(runtime: Runtime): Promise<Loaded> {
  const args = [...runtime.options, "require-everything.cjs", ...specifiers];
  const { stdout } = await promisify(execFile)(programOf(runtime), args, {
    cwd: project.folder,
    env: project.env,
    timeout: 60_000,
  });
  return JSON.parse(stdout) as Loaded;
}

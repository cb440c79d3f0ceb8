import { describe, it } from "vitest";
import { manifest } from "../support/built.js";
import type { Loaded } from "./inside/require-everything.js";
import { isSkipped, loadTestOf, nodes, type Runtime, runtimesWithRequire } from "./matrix.js";
import { useProject } from "./project.js";
import { runProgram } from "./suite-runner.js";

const specifiers = Object.keys(manifest.exports).map((subpath) => subpath.replace(".", manifest.name));

/** Makes Node refuse to `require` an ES module, as some hosts do. */
const STRICT = "--no-experimental-require-module";

const project = useProject();

describe.concurrent("a CommonJS program", () => {
  for (const runtime of runtimesWithRequire)
    it.skipIf(isSkipped(runtime))(loadTestOf(runtime), async ({ expect }) => {
      const { names, recognized, others } = await loadIn(runtime, specifiers);
      expect(Object.keys(names)).toEqual(specifiers);
      for (const [specifier, { required, imported }] of Object.entries(names)) {
        expect(imported.length, specifier).toBeGreaterThan(0);
        expect(required, specifier).toEqual(imported);
      }
      // `.` and `/client`, each required and imported.
      expect(recognized).toEqual(Array(4).fill([true, true, true, true]));
      expect(others).toEqual([false, false, false, false]);
    });

  for (const node of nodes)
    it.skipIf(isSkipped(node))(
      `${node.name} loads every subpath except ./testing with ${STRICT}`,
      async ({ expect }) => {
        const options = [STRICT];
        const commonJs = specifiers.filter((specifier) => !specifier.endsWith("/testing"));
        const { names } = await loadIn({ ...node, options }, commonJs);
        for (const { required, imported } of Object.values(names)) expect(required).toEqual(imported);
        await expect(loadIn({ ...node, options }, [`${manifest.name}/testing`])).rejects.toThrow(
          "ERR_REQUIRE_ESM",
        );
      },
    );
});

async function loadIn(runtime: Runtime, subpaths: readonly string[]): Promise<Loaded> {
  return JSON.parse(await runProgram(project(), runtime, ["require-everything.cjs", ...subpaths])) as Loaded;
}

import ts from "typescript";
import { blocksOf } from "../support/pages.js";
import { openWorkshop } from "./execute.js";
import { quickStartOn } from "./quick-starts.js";
import { exampleIn } from "./sections.js";

const MOUNTS = /\bto\w+Handler\(|\bhandle\b/;
const RUNS = /\bworker\b|^process\b/;

/** Opens the modules in the page about frameworks and in the quick start. `remove` deletes the bundled files. */
export function openFrameworkBlocks() {
  const { load, remove } = openWorkshop();
  return {
    /** Loads the first block of a section. The caller knows its exports. */
    load: <Exports>(heading: string) => load<Exports>(exampleIn("docs/frameworks.md", heading)),
    /** Loads a block of another page. */
    loadBlock: load,
    /** The same for the program of a platform in the quick start, without its worker and its server. */
    loadQuickStart: <Exports>(platform: string) => {
      const { block, imports, statements } = programOf(platform);
      const text = [...imports, ...statements.filter((each) => !RUNS.test(each))].join("\n");
      return load<Exports>({ ...block, text });
    },
    /** Loads the statements of such a program that mount a service on an application, as a function. Its work is at `/orders`. */
    loadMount: async <App>(platform: string) => {
      const { block, imports, statements } = programOf(platform);
      const mounting = statements
        .filter((each) => MOUNTS.test(each))
        .map((each) => each.replace('"/reports"', '"/orders"'));
      const text = [...imports, "export function mount(app, service) {", ...mounting, "}"].join("\n");
      return (await load<{ mount(app: App, service: unknown): void }>({ ...block, text })).mount;
    },
    remove,
  };
}

/** Returns the program of a platform in the quick start, split into its imports and its other statements. */
function programOf(platform: string) {
  const [block] = blocksOf(quickStartOn(platform), "js", "ts");
  if (block === undefined) throw new Error(`The quick start on ${platform} has no program.`);
  const source = ts.createSourceFile(block.place, block.text, ts.ScriptTarget.Latest);
  const all = source.statements.map((statement) => statement.getText(source));
  const isImport = (text: string): boolean => text.startsWith("import ");
  return {
    block,
    imports: all.filter(isImport),
    statements: all.filter((text) => !isImport(text)),
  };
}

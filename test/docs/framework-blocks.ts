import { pathToFileURL } from "node:url";
import ts from "typescript";
import { type Block, blocksOf, page } from "../support/pages.js";
import { openWorkshop } from "./execute.js";
import { quickStartOn } from "./quick-starts.js";

/** The modules in docs/frameworks.md and in the quick start. */
export interface FrameworkBlocks {
  /** Bundles and imports the first block of a section. The caller knows its exports. */
  load<Exports>(heading: string): Promise<Exports>;
  /** The same for the program of a platform in the quick start, without its worker and its server. */
  loadQuickStart<Exports>(platform: string): Promise<Exports>;
  /** Loads the statements of such a program that mount a service on an application, as a function. */
  loadMount<App>(platform: string): Promise<(app: App, service: unknown) => void>;
  remove(): void;
}

const MOUNTS = /\bto\w+Handler\(|\bhandle\b/;
const SERVES = /\bto\w+Handler\(|\bhandle\b|^const service\b/;

/** Opens the pages. `remove` deletes the bundled files. */
export function openFrameworkBlocks(): FrameworkBlocks {
  const workshop = openWorkshop();
  const load = async (block: Block) => import(pathToFileURL(await workshop.bundle(block)).href);
  return {
    load: (heading) => load(firstBlock(heading)),
    loadQuickStart: (platform) => {
      const { block, imports, statements } = programOf(platform);
      const text = [...imports, ...statements.filter((each) => SERVES.test(each))].join("\n");
      return load({ ...block, text });
    },
    loadMount: async (platform) => {
      const { block, imports, statements } = programOf(platform);
      const mounting = statements.filter((each) => MOUNTS.test(each));
      const text = [...imports, "export function mount(app, service) {", ...mounting, "}"].join("\n");
      return (await load({ ...block, text })).mount;
    },
    remove: workshop.remove,
  };
}

function firstBlock(heading: string): Block {
  const { path, text } = page("docs/frameworks.md");
  const section = text.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}\n`)) ?? "";
  // The section is part of the file name, so that two blocks do not share a file.
  const [block] = blocksOf({ path: `${path} ${heading}`, text: section }, "ts");
  if (block === undefined) throw new Error(`${path} has no example under ${heading}`);
  return block;
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

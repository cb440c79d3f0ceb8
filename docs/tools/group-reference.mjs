// A plugin of TypeDoc: splits the exports of `async-request-reply` into one page for each task, in the order of
// `reference-groups.json`. Exports that no group names are an error.
import { readFileSync } from "node:fs";
// biome-ignore lint/correctness/noUndeclaredDependencies: TypeDoc loads this module, and it is installed at the root.
import { Comment, Converter, DeclarationReflection, ReflectionKind } from "typedoc";

const CORE = "async-request-reply";
const groups = JSON.parse(readFileSync(new URL("../reference-groups.json", import.meta.url), "utf8"));

/** @param {import("typedoc").Application} app */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => split(project));
}

/** @param {import("typedoc").ProjectReflection} project */
function split(project) {
  const core = project.children.find(({ name }) => name === CORE);
  const others = project.children.filter((each) => each !== core);
  const exported = new Map(core.children.map((child) => [child.name, child]));
  const pages = groups.map((group) => toPage(project, group, exported));
  if (exported.size > 0) {
    throw new Error(`add these exports to docs/reference-groups.json: ${[...exported.keys()].join(", ")}`);
  }
  core.children = undefined;
  core.childrenIncludingDocuments = undefined;
  project.removeReflection(core);
  project.children = undefined;
  project.childrenIncludingDocuments = undefined;
  for (const each of [...pages, ...others]) project.addChild(each);
}

/** Creates the page of a group, and moves its exports there. */
function toPage(project, { title, summary, members }, exported) {
  const page = new DeclarationReflection(title, ReflectionKind.Module, project);
  page.comment = new Comment([{ kind: "text", text: `${summary} Imported from \`${CORE}\`.` }]);
  project.registerReflection(page, undefined, undefined);
  for (const name of members) {
    const member = exported.get(name);
    if (member === undefined) throw new Error(`docs/reference-groups.json: ${CORE} does not export ${name}`);
    exported.delete(name);
    member.parent = page;
    page.addChild(member);
  }
  return page;
}

// A plugin of TypeDoc: shows options next to the functions that take them, and type parameters after everything that a caller
// passes.
// biome-ignore lint/correctness/noUndeclaredDependencies: TypeDoc loads this module, and it is installed at the root.
import { Comment, CommentTag, Converter, ReflectionKind } from "typedoc";
// biome-ignore lint/correctness/noUndeclaredDependencies: as above.
import { MarkdownPageEvent } from "typedoc-plugin-markdown";

/** @param {import("typedoc").Application} app */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const each of project.getReflectionsByKind(ReflectionKind.Interface | ReflectionKind.TypeAlias)) {
      if (!each.name.endsWith("Options")) continue;
      each.comment ??= new Comment();
      each.comment.blockTags.push(new CommentTag("@group", [{ kind: "text", text: "Options" }]));
    }
  });
  app.renderer.on(MarkdownPageEvent.END, (page) => {
    page.contents = typeParametersLast(page.contents);
  });
}

/** Moves each section about type parameters behind its siblings. Sections end with a heading or a line between symbols. */
function typeParametersLast(text) {
  const parts = text.split(/^(?=#{1,6} |\*{3}$)/m);
  const levelOf = (part) => /^#+(?= )/.exec(part)?.[0].length ?? 0;
  for (let index = parts.length - 1; index >= 0; index--) {
    const part = parts[index];
    if (!/^#+ Type Parameters$/m.test(part.split("\n", 1)[0])) continue;
    const level = levelOf(part);
    const after = parts.findIndex((each, place) => place > index && levelOf(each) < level);
    const end = after === -1 ? parts.length : after;
    parts.splice(end, 0, part.trimEnd().concat("\n\n"));
    parts[end - 1] = parts[end - 1].trimEnd().concat("\n\n");
    parts.splice(index, 1);
  }
  return parts.join("");
}

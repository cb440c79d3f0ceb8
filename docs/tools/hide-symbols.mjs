// A plugin of TypeDoc: leaves out members whose name is a symbol. They come from `AwaitUsing`, a mapped type, whose members can
// have no comment. The pages of the interfaces still say that they extend it.
// biome-ignore lint/correctness/noUndeclaredDependencies: TypeDoc loads this module, and it is installed at the root.
import { Converter, ReflectionKind } from "typedoc";

/** @param {import("typedoc").Application} app */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const member of project.getReflectionsByKind(ReflectionKind.Property))
      if (member.name.startsWith("[")) project.removeReflection(member);
  });
}

import { Application, ReflectionKind } from "typedoc";

/**
 * A plugin of typedoc: every member of an exported interface or class says what it holds. The members of the literals in a
 * union are left to the docstring of the union, which would only be repeated at each.
 *
 * @param {Application} app
 */
export function load(app) {
  app.on(Application.EVENT_VALIDATE_PROJECT, (project) => {
    for (const member of project.getReflectionsByKind(ReflectionKind.Property)) {
      if (!member.parent?.kindOf(ReflectionKind.ClassOrInterface) || member.hasComment()) continue;
      app.logger.validationWarning(`${member.getFriendlyFullName()} does not say what it holds`);
    }
  });
}

import { Application, ReflectionKind } from "typedoc";

/**
 * A typedoc plugin that requires a comment on every member of an exported interface or class. Members of literals in a union are
 * exempt, because the docstring of the union describes them.
 *
 * @param {Application} app
 */
export function load(app) {
  app.on(Application.EVENT_VALIDATE_PROJECT, (project) => {
    for (const member of project.getReflectionsByKind(ReflectionKind.Property)) {
      if (!member.parent?.kindOf(ReflectionKind.ClassOrInterface) || member.hasComment()) continue;
      app.logger.validationWarning(`${member.getFriendlyFullName()} has no comment. Say what it holds.`);
    }
  });
}

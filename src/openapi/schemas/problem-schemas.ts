import type { JsonSchema } from "../../contract/definition/definition.js";
import { type ProblemName, problem, problemType } from "../../contract/problem.js";
import type { Reference } from "../document.js";
import { type Draft, toPascalCase } from "../draft.js";

/** Returns the problem types of the `error` of a failed operation. Replies never have them. */
export function operationErrors({ definitions }: Draft): readonly ProblemName[] {
  const hasOutput = definitions.some(({ chunk }) => chunk !== undefined);
  return hasOutput ? [...OPERATION_ERRORS, "output-too-large"] : OPERATION_ERRORS;
}

const OPERATION_ERRORS: readonly ProblemName[] = [
  "work-failed",
  "attempts-exhausted",
  "invalid-result",
  "input-refused",
  "cancelled",
  "expired",
  "abandoned",
];

/** Adds one problem type. `status` is absent in the `error` of an operation. */
function problemSchema(draft: Draft, name: ProblemName, status?: number): Reference {
  const { title } = problem(name);
  const members: Readonly<Record<string, JsonSchema>> = {
    type: { type: "string", const: problemType(name, draft.settings.problemBaseUri) },
    name: { type: "string", const: name, description: "Name of the type, for programs." },
    title: { type: "string", description: "Summary for people. The wording may change.", examples: [title] },
    ...(status === undefined ? {} : { status: { type: "integer", const: status } }),
    ...(name === "internal"
      ? {}
      : { detail: { type: "string", description: "Explanation of this occurrence, for people." } }),
    ...(name === "contract-violation" ? { errors: violations(draft) } : {}),
  };
  return draft.schema(`${toPascalCase(name)}Problem`, {
    type: "object",
    description: `${title} (RFC 9457).`,
    properties: members,
    required: Object.keys(members),
  });
}

/** Returns a schema for any of these problem types, with `type` as the discriminator. */
export function anyProblem(draft: Draft, names: readonly ProblemName[], status?: number): JsonSchema {
  const types = names.map((name) => ({
    type: problemType(name, draft.settings.problemBaseUri),
    schema: problemSchema(draft, name, status),
  }));
  const [first, ...others] = types;
  if (first !== undefined && others.length === 0) return first.schema;
  return {
    oneOf: types.map(({ schema }) => schema),
    discriminator: {
      propertyName: "type",
      mapping: Object.fromEntries(types.map(({ type, schema }) => [type, schema.$ref])),
    },
  };
}

function violations(draft: Draft): JsonSchema {
  const violation = draft.schema("Violation", {
    type: "object",
    properties: {
      pointer: {
        type: "string",
        description: "Location in the input: a JSON Pointer in URI fragment form (RFC 6901 §6).",
        examples: ["#/quantity"],
      },
      detail: { type: "string", description: "Explanation of the violation, for people." },
    },
    required: ["pointer", "detail"],
  });
  return { type: "array", description: "All violations of the contract.", items: violation, maxItems: 100 };
}

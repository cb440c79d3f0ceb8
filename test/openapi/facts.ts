import type { JsonSchema } from "async-request-reply";

/** Returns whether a value is valid against a schema of the document. */
export type IsValid = (schema: JsonSchema, value: unknown) => boolean;

/** Resolves a reference. Returns any other schema unchanged. */
export type Resolve = (schema: JsonSchema) => JsonSchema;

/** The keywords that the schemas of replies use. */
interface ReplySchema {
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
}

/** Returns everything that a schema allows: each member, present and absent, and each listed value. */
export function possibleFacts(schema: JsonSchema, at: string, resolve: Resolve): string[] {
  const { oneOf, properties = {}, required = [], items, ...rest }: ReplySchema = resolve(schema);
  if (oneOf !== undefined) return oneOf.flatMap((variant) => possibleFacts(variant, at, resolve));
  return [
    ...valuesOf(rest).map((value) => fact(at, value)),
    ...Object.entries(properties).flatMap(([name, member]) => [
      `${at}.${name}`,
      ...(required.includes(name) ? [] : [`${at} without ${name}`]),
      ...possibleFacts(member, `${at}.${name}`, resolve),
    ]),
    ...(items === undefined ? [] : possibleFacts(items, `${at}[]`, resolve)),
  ];
}

/** Returns which of {@link possibleFacts} a value shows, and each member that the schema does not know. */
export function shownFacts(
  schema: JsonSchema,
  value: unknown,
  at: string,
  tools: { readonly resolve: Resolve; readonly isValid: IsValid },
): string[] {
  const { oneOf, properties, items, ...rest }: ReplySchema = tools.resolve(schema);
  if (oneOf !== undefined) {
    const variants = oneOf.filter((variant) => tools.isValid(variant, value));
    return variants.flatMap((variant) => shownFacts(variant, value, at, tools));
  }
  if (Array.isArray(value))
    return items === undefined ? [] : value.flatMap((item) => shownFacts(items, item, `${at}[]`, tools));
  if (properties === undefined || typeof value !== "object" || value === null) {
    return valuesOf(rest).includes(value) ? [fact(at, value)] : [];
  }
  const members = new Map(Object.entries(value));
  const names = new Set([...Object.keys(properties), ...members.keys()]);
  return [...names].flatMap((name) => {
    if (!members.has(name)) return [`${at} without ${name}`];
    return [
      `${at}.${name}`,
      ...shownFacts(properties[name] ?? {}, members.get(name), `${at}.${name}`, tools),
    ];
  });
}

function valuesOf({ const: only, enum: several }: ReplySchema): readonly unknown[] {
  return several ?? (only === undefined ? [] : [only]);
}

function fact(at: string, value: unknown): string {
  return `${at} is ${JSON.stringify(value)}`;
}

import * as TypeBox034 from "@sinclair/typebox";
import { Value as Value034 } from "@sinclair/typebox/value";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import { defineOperation, type JsonSchema, type StandardSchema } from "async-request-reply";
import { Schema } from "effect";
import { JSONSchema as JsonSchema3, Schema as Schema3 } from "effect-3";
import { type Static, type TSchema, Type } from "typebox";
import { Value } from "typebox/value";
import * as v from "valibot";
import * as z from "zod";
import * as z3 from "zod-3";

const names = { name: "exports", path: "/exports" } as const;

/** Adds a JSON Schema to a schema that cannot describe itself, as in docs/define-work.md. */
function describe<Input, Output>(
  schema: StandardSchema<Input, Output>,
  json: JsonSchema,
): StandardSchema<Input, Output> {
  const jsonSchema = { input: () => ({ ...json }), output: () => ({ ...json }) };
  return { "~standard": { ...schema["~standard"], jsonSchema } };
}

/** Makes a Standard Schema of a TypeBox schema, as in docs/define-work.md. */
function standard<T extends TSchema>(schema: T): StandardSchema<Static<T>> {
  return describe(
    {
      "~standard": {
        version: 1,
        vendor: "typebox",
        validate: (value) =>
          Value.Check(schema, value)
            ? { value: value as Static<T> }
            : { issues: Value.Errors(schema, value).map(toIssue) },
      },
    },
    schema as JsonSchema,
  );
}

function toIssue({ instancePath, message }: { instancePath: string; message: string }) {
  const path = instancePath.split("/").slice(1);
  return { message, path: path.map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~")) };
}

/** The same for the classic TypeBox, whose errors have a `path`. */
function standard034<T extends TypeBox034.TSchema>(schema: T): StandardSchema<TypeBox034.Static<T>> {
  return describe(
    {
      "~standard": {
        version: 1,
        vendor: "typebox",
        validate: (value) =>
          Value034.Check(schema, value)
            ? { value }
            : {
                issues: [...Value034.Errors(schema, value)].map((e) =>
                  toIssue({ ...e, instancePath: e.path }),
                ),
              },
      },
    },
    schema,
  );
}

export const zod = defineOperation({
  ...names,
  input: z.object({
    account: z.string().min(1),
    lines: z.array(z.object({ quantity: z.int().min(1) })),
    note: z.string().optional(),
  }),
  result: z.object({ rows: z.int() }),
  progress: z.object({ percent: z.number() }),
});

export const zod3 = defineOperation({
  ...names,
  input: z3.object({
    account: z3.string().min(1),
    lines: z3.array(z3.object({ quantity: z3.number().int().min(1) })),
    note: z3.string().optional(),
  }),
  result: z3.object({ rows: z3.number().int() }),
  progress: z3.object({ percent: z3.number() }),
});

const ofValibot = {
  input: v.object({
    account: v.pipe(v.string(), v.minLength(1)),
    lines: v.array(v.object({ quantity: v.pipe(v.number(), v.integer(), v.minValue(1)) })),
    note: v.optional(v.string()),
  }),
  result: v.object({ rows: v.pipe(v.number(), v.integer()) }),
  progress: v.object({ percent: v.number() }),
};

export const valibot = defineOperation({ ...names, ...ofValibot });

export const describedValibot = defineOperation({
  ...names,
  input: toStandardJsonSchema(ofValibot.input),
  result: toStandardJsonSchema(ofValibot.result),
  progress: toStandardJsonSchema(ofValibot.progress),
});

export const arktype = defineOperation({
  ...names,
  input: type({
    account: "string > 0",
    lines: type({ quantity: "number.integer >= 1" }).array(),
    "note?": "string",
  }),
  result: type({ rows: "number.integer" }),
  progress: type({ percent: "number" }),
});

const ofEffect = {
  input: Schema.Struct({
    account: Schema.NonEmptyString,
    lines: Schema.Array(Schema.Struct({ quantity: Schema.Int.check(Schema.isGreaterThan(0)) })),
    note: Schema.optionalKey(Schema.String),
  }),
  result: Schema.Struct({ rows: Schema.Int }),
  progress: Schema.Struct({ percent: Schema.Number }),
};

export const effect = defineOperation({
  ...names,
  input: Schema.toStandardSchemaV1(ofEffect.input),
  result: Schema.toStandardSchemaV1(ofEffect.result),
  progress: Schema.toStandardSchemaV1(ofEffect.progress),
});

export const describedEffect = defineOperation({
  ...names,
  input: Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(ofEffect.input)),
  result: Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(ofEffect.result)),
  progress: Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(ofEffect.progress)),
});

const ofEffect3 = {
  input: Schema3.Struct({
    account: Schema3.NonEmptyString,
    lines: Schema3.Array(Schema3.Struct({ quantity: Schema3.Int.pipe(Schema3.positive()) })),
    note: Schema3.optionalWith(Schema3.String, { exact: true }),
  }),
  result: Schema3.Struct({ rows: Schema3.Int }),
  progress: Schema3.Struct({ percent: Schema3.Number }),
};

const described3 = <Output, Input>(schema: Schema3.Schema<Output, Input>): StandardSchema<Input, Output> =>
  describe(
    Schema3.standardSchemaV1(schema),
    JsonSchema3.make(schema, { target: "jsonSchema2020-12" }) as unknown as JsonSchema,
  );

export const effect3 = defineOperation({
  ...names,
  input: Schema3.standardSchemaV1(ofEffect3.input),
  result: Schema3.standardSchemaV1(ofEffect3.result),
  progress: Schema3.standardSchemaV1(ofEffect3.progress),
});

export const describedEffect3 = defineOperation({
  ...names,
  input: described3(ofEffect3.input),
  result: described3(ofEffect3.result),
  progress: described3(ofEffect3.progress),
});

export const typebox = defineOperation({
  ...names,
  input: standard(
    Type.Object({
      account: Type.String({ minLength: 1 }),
      lines: Type.Array(Type.Object({ quantity: Type.Integer({ minimum: 1 }) })),
      note: Type.Optional(Type.String()),
    }),
  ),
  result: standard(Type.Object({ rows: Type.Integer() })),
  progress: standard(Type.Object({ percent: Type.Number() })),
});

const Type034 = TypeBox034.Type;

export const typebox034 = defineOperation({
  ...names,
  input: standard034(
    Type034.Object({
      account: Type034.String({ minLength: 1 }),
      lines: Type034.Array(Type034.Object({ quantity: Type034.Integer({ minimum: 1 }) })),
      note: Type034.Optional(Type034.String()),
    }),
  ),
  result: standard034(Type034.Object({ rows: Type034.Integer() })),
  progress: standard034(Type034.Object({ percent: Type034.Number() })),
});

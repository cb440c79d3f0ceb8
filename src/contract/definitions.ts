import type { OperationDefinition } from "./definition.js";
import type { Json } from "./json/json-types.js";
import type { InferInput, InferOutput, StandardSchema } from "./schema/standard-schema.js";

/** The definitions of a service. */
export type Definitions = readonly OperationDefinition[];

/** The names of the definitions in a list. */
export type NameOf<List extends Definitions> = List[number]["name"];

/** The definition in a list that has a name. */
export type Named<List extends Definitions, Name> = Extract<List[number], { readonly name: Name }>;

/** What clients submit, and `service.submit` takes: the input of the input schema. */
export type InputOf<Definition> =
  Definition extends OperationDefinition<string, string, infer Input> ? InferInput<Input> : never;

/** What a processor and `create` get: the output of the input schema. */
export type ParsedInputOf<Definition> =
  Definition extends OperationDefinition<string, string, infer Input> ? InferOutput<Input> : never;

/** What a processor must return: the input of the result schema. Anything if there is none. */
export type ProcessorResultOf<Definition> =
  Definition extends OperationDefinition<string, string, StandardSchema, infer Result>
    ? Result extends StandardSchema
      ? InferInput<Result>
      : unknown
    : never;

/** What clients read as the result: the JSON form of the result schema's output. */
export type ResultOf<Definition> =
  Definition extends OperationDefinition<string, string, StandardSchema, infer Result>
    ? Result extends StandardSchema
      ? Json<InferOutput<Result>>
      : unknown
    : never;

/** What a processor reports as progress: the input of the progress schema. Anything if there is none. */
export type ProcessorProgressOf<Definition> =
  Definition extends OperationDefinition<
    string,
    string,
    StandardSchema,
    StandardSchema | undefined,
    infer Progress
  >
    ? Progress extends StandardSchema
      ? InferInput<Progress>
      : unknown
    : never;

/** What clients read as progress: the JSON form of the progress schema's output. */
export type ProgressOf<Definition> =
  Definition extends OperationDefinition<
    string,
    string,
    StandardSchema,
    StandardSchema | undefined,
    infer Progress
  >
    ? Progress extends StandardSchema
      ? Json<InferOutput<Progress>>
      : unknown
    : never;

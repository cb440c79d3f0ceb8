import type { Json } from "../json/json-types.js";
import type { OutputLink } from "../output.js";
import type { Problem } from "../problem.js";
import type { InferInput, InferOutput, StandardSchema } from "../schema.js";
import type { OperationDefinition } from "./definition.js";

/** Definitions of a service. */
export type Definitions = readonly OperationDefinition[];

/** Names of the definitions in a list. */
export type NameOf<List extends Definitions> = List[number]["name"];

/** Definition in a list that has the given name. */
export type Named<List extends Definitions, Name> = Extract<List[number], { readonly name: Name }>;

/** Value that clients submit and `service.submit` takes: the input of the input schema. */
export type InputOf<Definition> =
  Definition extends OperationDefinition<string, string, infer Input> ? InferInput<Input> : never;

/** Value that a processor and `create` get: the output of the input schema. */
export type ParsedInputOf<Definition> =
  Definition extends OperationDefinition<string, string, infer Input> ? InferOutput<Input> : never;

/** Value that a processor must return: the input of the result schema, or anything if the definition has none. */
export type ProcessorResultOf<Definition> = Definition extends OperationDefinition
  ? Accepted<Definition["result"]>
  : never;

/** Result that clients read: the JSON form of the result schema's output. */
export type ResultOf<Definition> = Definition extends OperationDefinition
  ? Shown<Definition["result"]>
  : never;

/** Progress that a processor reports: the input of the progress schema, or anything if the definition has none. */
export type ProcessorProgressOf<Definition> = Definition extends OperationDefinition
  ? Accepted<Definition["progress"]>
  : never;

/** Progress that clients read: the JSON form of the progress schema's output. */
export type ProgressOf<Definition> = Definition extends OperationDefinition
  ? Shown<Definition["progress"]>
  : never;

/** Chunk that `job.write` takes: the input of the chunk schema. `never` if the definition has none. */
export type ChunkInputOf<Definition> = Definition extends {
  readonly chunk: infer Schema extends StandardSchema;
}
  ? InferInput<Schema>
  : never;

/** Chunk that clients read: the JSON form of the chunk schema's output. `never` if the definition has none. */
export type ChunkOf<Definition> = Definition extends {
  readonly chunk: infer Schema extends StandardSchema;
}
  ? Json<InferOutput<Schema>>
  : never;

/** Value that `job.checkpoint` takes: the input of the checkpoint schema. `never` if the definition has none. */
export type CheckpointInputOf<Definition> = Definition extends {
  readonly checkpoint: infer Schema extends StandardSchema;
}
  ? InferInput<Schema>
  : never;

/** Value of `job.resumed`: the output of the checkpoint schema. `never` if the definition has none. */
export type CheckpointOf<Definition> = Definition extends {
  readonly checkpoint: infer Schema extends StandardSchema;
}
  ? InferOutput<Schema>
  : never;

/** Value that an optional schema takes. Without a schema, that is anything. */
type Accepted<Schema> = Schema extends StandardSchema ? InferInput<Schema> : unknown;

/** JSON form of the output of an optional schema. Without a schema, that is anything. */
type Shown<Schema> = Schema extends StandardSchema ? Json<InferOutput<Schema>> : unknown;

/**
 * An operation as callers see it, typed by its definition. `Time` is the type of points in time: dates in process, and
 * texts over HTTP.
 */
export type ViewOf<Definition, Time> = {
  /** Id of the operation. */
  readonly operationId: string;
  /** Name of the definition. */
  readonly definition: string;
  /** Number of attempts begun. Attempts that a stopping worker released do not count. */
  readonly attempt: number;
  /** Time of acceptance. */
  readonly createdAt: Time;
  /** Link to the output. Absent if the definition has no `chunk`. */
  readonly output?: OutputLink;
} & (
  | {
      readonly status: "pending";
      readonly progress?: ProgressOf<Definition>;
      /** Whether cancellation was requested while an attempt was running. Absent if it was not. */
      readonly cancelRequested?: true;
    }
  | { readonly status: "completed"; readonly finishedAt: Time; readonly result: ResultOf<Definition> }
  | { readonly status: "failed"; readonly finishedAt: Time; readonly error: Problem }
);

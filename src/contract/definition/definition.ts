import {
  callback,
  either,
  flag,
  integer,
  longDuration,
  optional,
  text,
  unchecked,
} from "../option-values.js";
import { invalidOption, isObject, type OptionReader, type OptionTable, readOptions } from "../options.js";
import type { InferInput, InferOutput, StandardSchema } from "../schema.js";
import { checkName, checkPathFields, checkSchema } from "./check-definition.js";
import type { CheckedInput, CheckedPath } from "./checked-types.js";
import { type Deprecation, readDeprecation } from "./deprecation.js";
import { describeSchema } from "./describe-schema.js";
import { type OperationLimits, readLimits } from "./limits.js";
import { parsePathPattern } from "./path-pattern.js";
import { readStartWithin } from "./start-within.js";
import { readUrgency } from "./urgency.js";

/** JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Options of {@link defineOperation}. Only `name`, `path` and `input` are required. */
export interface OperationDefinitionOptions<
  Name extends string,
  Path extends string,
  Input extends StandardSchema,
  Result extends StandardSchema | undefined,
  Progress extends StandardSchema | undefined,
  Chunk extends StandardSchema | undefined = undefined,
  Checkpoint extends StandardSchema | undefined = undefined,
> {
  /**
   * Name of the definition in stores and rings: 1 to 100 characters of `A-Za-z0-9._-`, starting with a letter
   * or digit. Two names of one service must not differ only in case. Changing a name orphans the operations that are
   * stored under it.
   */
  readonly name: Name;
  /**
   * Name of a submission and of a resource in formats with a named root: the root element in XML, the top-level node
   * in YANG data. A letter or `_`, then up to 99 characters of `A-Za-z0-9._-`. Default: `name`.
   */
  readonly rootName?: string;
  /**
   * Path that clients post to, such as `/orders`. A field such as `{accountId}` in `/accounts/{accountId}/exports`
   * matches one segment and becomes the input member with its name.
   */
  readonly path: Path;
  /** Standard Schema validator of the input, which must be JSON. */
  readonly input: Input;
  /**
   * Standard Schema validator of the processor's return value. A refused result fails the operation. Default: any JSON
   * value.
   */
  readonly result?: Result;
  /** Standard Schema validator of the reported progress. Must be synchronous. Default: any JSON value. */
  readonly progress?: Progress;
  /**
   * Standard Schema validator of the chunks that `job.write` takes. Must be synchronous. Clients read them while the work runs, at
   * `<statusPath>/<id>/output`. Default: the work has no output.
   */
  readonly chunk?: Chunk;
  /**
   * Standard Schema validator of the value that `job.checkpoint` takes, from which the next attempt continues. Clients never see it.
   * Default: every attempt starts from the beginning.
   */
  readonly checkpoint?: Checkpoint;
  /**
   * Maximum size of the chunks of an operation together, as JSON in UTF-8. Beyond it, the operation fails with the problem
   * `output-too-large`. Bytes. Default: 1 MiB.
   */
  readonly maxOutputBytes?: number;
  /** JSON Schema (2020-12) of the input. Default: the schema that the validator provides, if it does. */
  readonly jsonSchema?: JsonSchema;
  /** Whether requests need an `Idempotency-Key`. If `required`, a request without one gets 400. Default: `optional`. */
  readonly idempotencyKey?: "optional" | "required";
  /** Whether clients may cancel with `DELETE <statusPath>/<id>`. Default: false. */
  readonly cancellable?: boolean;
  /** How long an operation and its key are kept after it ends. Milliseconds, at most 100 years. Default: 24 h. */
  readonly retentionMs?: number;
  /**
   * How long an operation and its key are kept after it fails or is cancelled, so that you can look at the failures of
   * a weekend. Milliseconds, at most 100 years. Default: 7 days, or `retentionMs` if that is longer.
   */
  readonly failedRetentionMs?: number;
  /**
   * Time within which a worker must start the work, counted from when it is due. Otherwise the operation fails with the
   * problem `expired`, and nothing runs. Milliseconds, from 1 s to 100 years. Default: no limit.
   */
  readonly startWithinMs?: number;
  /**
   * Limits how many operations run at once, across all workers. Operations over a limit wait without using a slot.
   * Give the service and all workers the same limits. Default: none.
   */
  readonly limits?: OperationLimits;
  /**
   * Returns the lane of an operation, from the output of `input`. Of the operations of one tenant in the same lane, one
   * runs at a time, in the order of their acceptance. An operation keeps its lane until it has ended, also while it
   * waits for a retry. Called once, at the submission. Must be synchronous and return a string of 1 to 255 UTF-16 code
   * units, well formed and without NUL. Default: no lanes.
   */
  readonly serialBy?: (input: InferOutput<NoInfer<Input>>) => string;
  /**
   * Order in which work begins if more is due than workers have slots: 0 first, 7 last. Work of a low urgency can wait
   * forever. Default: 3.
   */
  readonly urgency?: number;
  /**
   * Lets clients choose the urgency with `u` of the header field `Priority` (RFC 9218). An urgency outside of `from` to
   * `to` becomes the nearest one inside. `urgency` must be inside too. Default: none, and the field is ignored.
   */
  readonly clientUrgency?: { readonly from: number; readonly to: number };
  /**
   * Announces in every reply of the path that clients should stop using it, with `Deprecation`, `Sunset` and `Link`.
   * Nothing else changes. Default: none.
   */
  readonly deprecated?: Deprecation;
}

/** Default of `retentionMs`: 24 h. */
export const DEFAULT_RETENTION_MS = 86_400_000;
/** Shortest default of `failedRetentionMs`: 7 days. */
export const DEFAULT_FAILED_RETENTION_MS: number = 7 * DEFAULT_RETENTION_MS;

const DEFAULT_MAX_OUTPUT_BYTES = 1_048_576;

type Options = OperationDefinitionOptions<
  string,
  string,
  StandardSchema,
  StandardSchema,
  StandardSchema,
  StandardSchema,
  StandardSchema
>;

/** Options of a definition that were read. Some defaults follow from other options. */
type Given = Required<
  Pick<
    Options,
    "name" | "path" | "input" | "idempotencyKey" | "cancellable" | "retentionMs" | "maxOutputBytes"
  >
> & {
  readonly [Name in keyof Options]: Options[Name] | undefined;
};

const readSchema: OptionReader<StandardSchema> = (value, name) => {
  checkSchema(name, value);
  return value as StandardSchema;
};

const OPTIONS: OptionTable<Given> = {
  name: (value) => {
    checkName(value);
    return value as string;
  },
  rootName: optional(
    text(/^[A-Za-z_][A-Za-z0-9._-]{0,99}$/, "a letter or `_`, then at most 99 of `A-Za-z0-9._-`"),
  ),
  path: (value) => {
    parsePathPattern(value as string);
    return value as string;
  },
  input: readSchema,
  result: optional(readSchema),
  progress: optional(readSchema),
  chunk: optional(readSchema),
  checkpoint: optional(readSchema),
  maxOutputBytes: integer(DEFAULT_MAX_OUTPUT_BYTES),
  jsonSchema: optional((value, name) => {
    if (isObject(value)) return value as JsonSchema;
    throw invalidOption(name, "a JSON Schema, which is an object", value);
  }),
  idempotencyKey: either("optional", "required"),
  cancellable: flag(false),
  retentionMs: longDuration(DEFAULT_RETENTION_MS),
  failedRetentionMs: optional(longDuration(DEFAULT_FAILED_RETENTION_MS)),
  startWithinMs: readStartWithin,
  limits: optional((value) => readLimits(value as OperationLimits)),
  serialBy: optional(callback()),
  urgency: unchecked(),
  clientUrgency: unchecked(),
  deprecated: optional((value) => readDeprecation(value as Deprecation)),
};

/**
 * Contract of one kind of work: what `POST <path>` accepts and what the processor returns. It contains no server code,
 * so clients can import it. Create it with {@link defineOperation}.
 */
export interface OperationDefinition<
  Name extends string = string,
  Path extends string = string,
  Input extends StandardSchema = StandardSchema,
  Result extends StandardSchema | undefined = StandardSchema | undefined,
  Progress extends StandardSchema | undefined = StandardSchema | undefined,
  Chunk extends StandardSchema | undefined = StandardSchema | undefined,
  Checkpoint extends StandardSchema | undefined = StandardSchema | undefined,
> {
  /** Name in stores, in rings and among the processors of a worker. */
  readonly name: Name;
  /** Name of a submission and of a resource in formats with a named root, such as XML. */
  readonly rootName: string;
  /** Path that clients post to, without the service's `basePath`. Fields are in braces. */
  readonly path: Path;
  /**
   * Validator of the input. If it refuses the input, the reply is 422. Otherwise the processor gets its output. It
   * runs again before every attempt.
   */
  readonly input: Input;
  /** Validator of the processor's return value. Default: any JSON value. */
  readonly result: Result;
  /** Validator of the reported progress. Default: any JSON value. */
  readonly progress: Progress;
  /** Validator of the chunks of the output. Undefined if the work has none. */
  readonly chunk: Chunk;
  /** Validator of checkpoints. Undefined if every attempt starts from the beginning. */
  readonly checkpoint: Checkpoint;
  /** Maximum size of the chunks of an operation together. Bytes. */
  readonly maxOutputBytes: number;
  /** JSON Schema (2020-12) of the input, if known. */
  readonly jsonSchema?: JsonSchema;
  /** Whether requests need an `Idempotency-Key`. If `required`, a request without one gets 400. */
  readonly idempotencyKey: "optional" | "required";
  /** Whether clients may cancel with `DELETE <statusPath>/<id>`. If not, the reply is 405. */
  readonly cancellable: boolean;
  /** How long an operation and its key are kept after the operation ends. Milliseconds. */
  readonly retentionMs: number;
  /** How long an operation and its key are kept after the operation fails or is cancelled. Milliseconds. */
  readonly failedRetentionMs: number;
  /** Time from when work is due until a worker must have started it. Milliseconds. Absent if there is no limit. */
  readonly startWithinMs?: number;
  /** How many operations run at once, across all workers. Absent if there is no limit. */
  readonly limits?: OperationLimits;
  /** Returns the lane of an operation, from the output of `input`. Operations in one lane run one after the other. */
  serialBy?(input: InferOutput<Input>): string;
  /** Urgency of work for which the caller chooses none: 0 first, 7 last. */
  readonly urgency: number;
  /** Urgencies from which clients can choose. If absent, their choice is ignored. */
  readonly clientUrgency?: { readonly from: number; readonly to: number };
  /** When and why clients should stop using the path. Announced in every reply of the path. */
  readonly deprecated?: Deprecation;
}

/**
 * Defines an operation. Only a name, a path and an input schema are required.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function defineOperation<
  const Name extends string,
  const Path extends string,
  Input extends StandardSchema,
  Result extends StandardSchema | undefined = undefined,
  Progress extends StandardSchema | undefined = undefined,
  Chunk extends StandardSchema | undefined = undefined,
  Checkpoint extends StandardSchema | undefined = undefined,
>(
  options: OperationDefinitionOptions<Name, Path, Input, Result, Progress, Chunk, Checkpoint> &
    CheckedPath<Path, InferInput<Input>> &
    CheckedInput<InferInput<Input>>,
): OperationDefinition<Name, Path, Input, Result, Progress, Chunk, Checkpoint> {
  const read = readOptions<Given>(options, OPTIONS, "defineOperation");
  const { name, path, input, result, progress, idempotencyKey, cancellable, retentionMs } = read;
  const { startWithinMs, limits, serialBy, deprecated, chunk, checkpoint, maxOutputBytes } = read;
  const described = describeSchema(input);
  checkPathFields(path, described);
  const jsonSchema = read.jsonSchema ?? described;
  const definition: OperationDefinition<string, string, StandardSchema> = Object.freeze({
    name,
    rootName: read.rootName ?? name,
    path,
    input,
    result,
    progress,
    chunk,
    checkpoint,
    maxOutputBytes,
    idempotencyKey,
    cancellable,
    retentionMs,
    failedRetentionMs: read.failedRetentionMs ?? Math.max(retentionMs, DEFAULT_FAILED_RETENTION_MS),
    ...readUrgency(read.urgency, read.clientUrgency),
    ...(jsonSchema === undefined ? {} : { jsonSchema }),
    ...(startWithinMs === undefined ? {} : { startWithinMs }),
    ...(limits === undefined ? {} : { limits }),
    ...(serialBy === undefined ? {} : { serialBy }),
    ...(deprecated === undefined ? {} : { deprecated }),
  });
  return definition as OperationDefinition<Name, Path, Input, Result, Progress, Chunk, Checkpoint>;
}

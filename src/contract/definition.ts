import { checkName, checkSchema } from "./check-definition.js";
import { type Deprecation, readDeprecation } from "./deprecation.js";
import type { NotJson } from "./json/json-types.js";
import { checkOptions, invalidOption, isObject, longDurationMs, type OptionNames } from "./options.js";
import type { UnboundPathFields } from "./path-pattern.js";
import { parsePathPattern } from "./path-pattern.js";
import type { InferInput, StandardSchema } from "./schema/standard-schema.js";

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What {@link defineOperation} takes. Only `name`, `path` and `input` are required. */
export interface OperationDefinitionOptions<
  Name extends string,
  Path extends string,
  Input extends StandardSchema,
  Result extends StandardSchema | undefined,
  Progress extends StandardSchema | undefined,
> {
  /**
   * Names the definition in stores and announcements: 1 to 100 characters out of `A-Za-z0-9._-`, beginning with a letter or
   * digit. Two names of one service must not differ only in case. Changing a name orphans what is stored.
   */
  readonly name: Name;
  /**
   * What formats with a named root call one submission and one resource: the root element of XML, the top-level node of YANG
   * data. A letter or `_`, then `A-Za-z0-9._-`. Default: `name`.
   */
  readonly rootName?: string;
  /**
   * The path that is posted to, for example `/orders`. A field such as `{accountId}` in `/accounts/{accountId}/exports` is
   * one segment and becomes the member of the input with its name.
   */
  readonly path: Path;
  /** Any Standard Schema validator. Its input must be JSON. */
  readonly input: Input;
  /** Validates what the processor returns. A result that it refuses fails the operation. Default: any JSON value. */
  readonly result?: Result;
  /** Validates the progress that the processor reports. It must be synchronous. Default: any JSON value. */
  readonly progress?: Progress;
  /** JSON Schema (2020-12) of the input. Default: what the validator says about itself. */
  readonly jsonSchema?: JsonSchema;
  /** Whether a request without `Idempotency-Key` is refused with 400. Default: `optional`. */
  readonly idempotencyKey?: "optional" | "required";
  /** Whether clients may cancel with `DELETE <statusPath>/<id>`. Default: false. */
  readonly cancellable?: boolean;
  /** How long an operation and its key are kept after its end. Milliseconds, at most 100 years. Default: 24 h. */
  readonly retentionMs?: number;
  /** Tells clients to leave: every reply of the path says so in `Deprecation`, `Sunset` and `Link`. Nothing else changes. */
  readonly deprecated?: Deprecation;
}

const OPTIONS: OptionNames<OperationDefinitionOptions<string, string, StandardSchema, undefined, undefined>> =
  {
    name: true,
    rootName: true,
    path: true,
    input: true,
    result: true,
    progress: true,
    jsonSchema: true,
    idempotencyKey: true,
    cancellable: true,
    retentionMs: true,
    deprecated: true,
  };

/**
 * The contract of one kind of work: what `POST <path>` accepts and what its work returns. It holds no server code, so that
 * clients can import it. Made by {@link defineOperation}.
 */
export interface OperationDefinition<
  Name extends string = string,
  Path extends string = string,
  Input extends StandardSchema = StandardSchema,
  Result extends StandardSchema | undefined = StandardSchema | undefined,
  Progress extends StandardSchema | undefined = StandardSchema | undefined,
> {
  /** Names it in stores, announcements and the processors of a worker. */
  readonly name: Name;
  /** What formats with a named root call a submission and a resource. */
  readonly rootName: string;
  /** The path that is posted to, without the service's `basePath`. Fields are in braces. */
  readonly path: Path;
  /** Decides what is a 422, and what the processor gets. Checked again before every attempt. */
  readonly input: Input;
  /** Validates what the processor returns. */
  readonly result: Result;
  /** Validates the progress that the processor reports. */
  readonly progress: Progress;
  /** JSON Schema (2020-12) of the input, if it is known. */
  readonly jsonSchema?: JsonSchema;
  /** Whether a request without `Idempotency-Key` is refused with 400. */
  readonly idempotencyKey: "optional" | "required";
  /** Whether `DELETE <statusPath>/<id>` is allowed. If not, the reply is 405. */
  readonly cancellable: boolean;
  /** How long an operation and its key are kept after its end. Milliseconds. */
  readonly retentionMs: number;
  /** When and why clients should leave, told in every reply of the path. */
  readonly deprecated?: Deprecation;
}

/** Refuses to compile a path whose fields are not members of the input. */
export type CheckedPath<Path extends string, Input> = [UnboundPathFields<Path, Input>] extends [never]
  ? unknown
  : {
      readonly path: {
        readonly "path field that is no required text, number or boolean member of the input": UnboundPathFields<
          Path,
          Input
        >;
      };
    };

/** Refuses to compile an input schema that takes what JSON cannot carry, such as a `Date`. */
export type CheckedInput<Input> = [NotJson<Input>] extends [never]
  ? unknown
  : { readonly input: { readonly "the input schema takes what JSON cannot carry": NotJson<Input> } };

/**
 * Defines an operation: a name, a path and a schema are enough.
 *
 * @throws AsyncReplyError `INVALID_OPTION`, naming the option
 */
export function defineOperation<
  const Name extends string,
  const Path extends string,
  Input extends StandardSchema,
  Result extends StandardSchema | undefined = undefined,
  Progress extends StandardSchema | undefined = undefined,
>(
  options: OperationDefinitionOptions<Name, Path, Input, Result, Progress> &
    CheckedPath<Path, InferInput<Input>> &
    CheckedInput<InferInput<Input>>,
): OperationDefinition<Name, Path, Input, Result, Progress> {
  checkOptions(options, OPTIONS, "defineOperation");
  const { name, path, input, result, progress, deprecated }: typeof options = options;
  const { rootName = name, idempotencyKey = "optional", cancellable = false } = options;
  checkName(name);
  if (options.rootName !== undefined && !/^[A-Za-z_][A-Za-z0-9._-]{0,99}$/.test(rootName))
    throw invalidOption("rootName", "a letter or `_`, then at most 99 of `A-Za-z0-9._-`", rootName);
  parsePathPattern(path);
  checkSchema("input", input);
  if (result !== undefined) checkSchema("result", result);
  if (progress !== undefined) checkSchema("progress", progress);
  if (idempotencyKey !== "optional" && idempotencyKey !== "required")
    throw invalidOption("idempotencyKey", "`optional` or `required`", idempotencyKey);
  if (typeof cancellable !== "boolean") throw invalidOption("cancellable", "true or false", cancellable);
  if (options.jsonSchema !== undefined && !isObject(options.jsonSchema))
    throw invalidOption("jsonSchema", "a JSON Schema, which is an object", options.jsonSchema);
  const jsonSchema = options.jsonSchema ?? describeSchema(input);
  return Object.freeze({
    name,
    rootName,
    path,
    input,
    result: result as Result,
    progress: progress as Progress,
    idempotencyKey,
    cancellable,
    retentionMs: longDurationMs("retentionMs", options.retentionMs, DEFAULT_RETENTION_MS),
    ...(jsonSchema === undefined ? {} : { jsonSchema }),
    ...(deprecated === undefined ? {} : { deprecated: readDeprecation(deprecated) }),
  });
}

/** How long operations and keys are kept if their definition does not say: 24 hours. */
export const DEFAULT_RETENTION_MS = 86_400_000;

function describeSchema(schema: StandardSchema): JsonSchema | undefined {
  try {
    return schema["~standard"].jsonSchema?.input({ target: "draft-2020-12" });
  } catch {
    // Not everything that can be checked can be described; formats that need a description say so themselves.
    return undefined;
  }
}

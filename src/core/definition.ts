import { type Deprecation, readDeprecation } from "./deprecation.js";
import { checkFunction, invalidOption } from "./options.js";
import type { StandardSchema } from "./standard-schema.js";

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The resource that was created before the reply: the 201 of spec §4.1. */
export interface CreatedResource {
  /** The representation of the resource: the body of the 201. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Where the resource can be read, if it can (RFC 9110 §15.3.2). */
  readonly location?: string;
}

export interface CreateContext {
  /** The idempotency key of the creation. */
  readonly operationId: string;
  /** Aborted when the creation took too long or is somebody else's now. */
  readonly signal: AbortSignal;
}

/**
 * Creates the resource before the reply. It must be idempotent by `operationId`: after a crash or a lost lease it is
 * called again with the same one. Throwing is a 503 and is tried again; `permanentFailure` ends the operation.
 */
export type CreateResource<Output> = (
  input: Output,
  context: CreateContext,
) => CreatedResource | Promise<CreatedResource>;

export interface OperationDefinitionOptions<Name extends string, Output, Result> {
  /** Names the definition in stores and announcements; `[a-z0-9._-]`, at most 100 characters. Changing it orphans what is stored. */
  readonly name: Name;
  /** The path that is posted to, for example `/orders`. */
  readonly path: string;
  /** Any Standard Schema validator. */
  readonly input: StandardSchema<unknown, Output>;
  /** Checked before a result is kept: what does not fit fails the operation. */
  readonly result?: StandardSchema<unknown, Result>;
  /** JSON Schema (2020-12) of the input, where the validator cannot give it itself. */
  readonly jsonSchema?: JsonSchema;
  /** Whether a request without `Idempotency-Key` is refused with 400. Default `optional`. */
  readonly idempotencyKey?: "optional" | "required";
  /** Whether clients may cancel with `DELETE /operations/<id>`. Default false. */
  readonly cancellable?: boolean;
  readonly create?: CreateResource<Output>;
  /** Tells clients to leave: every reply of the path says so in `Deprecation`, `Sunset` and `Link`. Nothing else changes. */
  readonly deprecated?: Deprecation;
}

/** What `POST <path>` accepts and what its work gives. Made by {@link defineOperation}. */
export interface OperationDefinition<Name extends string = string, Output = unknown, Result = unknown> {
  readonly name: Name;
  readonly path: string;
  readonly input: StandardSchema<unknown, Output>;
  readonly result?: StandardSchema<unknown, Result>;
  readonly jsonSchema?: JsonSchema;
  readonly idempotencyKey: "optional" | "required";
  readonly cancellable: boolean;
  readonly deprecated?: Deprecation;
  // A method, so that a list can hold definitions of different outputs.
  create?(input: Output, context: CreateContext): CreatedResource | Promise<CreatedResource>;
}

/**
 * Defines an operation: a name, a path and a schema are enough.
 *
 * @throws AsyncReplyError `INVALID_OPTION`, naming the option
 */
export function defineOperation<const Name extends string, Output, Result = unknown>(
  options: OperationDefinitionOptions<Name, Output, Result>,
): OperationDefinition<Name, Output, Result> {
  const { name, path, input, result, create, deprecated } = options;
  const { idempotencyKey = "optional", cancellable = false } = options;
  if (!/^[a-z0-9][a-z0-9._-]{0,99}$/.test(name)) throw invalidOption("name", "1 to 100 of `a-z0-9._-`", name);
  if (!/^(\/[A-Za-z0-9._~-]+)+$/.test(path)) throw invalidOption("path", "a path such as `/orders`", path);
  if (path === "/operations")
    throw invalidOption("path", "another path than that of the status endpoint", path);
  checkSchema("input", input);
  if (result !== undefined) checkSchema("result", result);
  if (idempotencyKey !== "optional" && idempotencyKey !== "required") {
    throw invalidOption("idempotencyKey", "`optional` or `required`", idempotencyKey);
  }
  checkFunction("create", create, { optional: true });
  const jsonSchema = options.jsonSchema ?? describeSchema(input);
  return Object.freeze({
    name,
    path,
    input,
    idempotencyKey,
    cancellable,
    ...(result === undefined ? {} : { result }),
    ...(jsonSchema === undefined ? {} : { jsonSchema }),
    ...(create === undefined ? {} : { create }),
    ...(deprecated === undefined ? {} : { deprecated: readDeprecation(deprecated) }),
  });
}

function checkSchema(option: string, schema: unknown): void {
  const standard = (schema as Partial<StandardSchema> | null | undefined)?.["~standard"];
  if (typeof standard?.validate !== "function")
    throw invalidOption(option, "a Standard Schema validator", schema);
}

function describeSchema(schema: StandardSchema): JsonSchema | undefined {
  try {
    return schema["~standard"].jsonSchema?.input({ target: "draft-2020-12" });
  } catch {
    // Not everything that can be checked can be described; formats that need a description say so themselves.
    return undefined;
  }
}

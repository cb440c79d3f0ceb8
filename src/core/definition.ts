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

/** What {@link CreateResource} gets besides the input. */
export interface CreateContext<Tx = unknown> {
  /** The idempotency key of the creation. */
  readonly operationId: string;
  /** Aborted when the creation took too long or is somebody else's now. */
  readonly signal: AbortSignal;
  /**
   * The transaction that records the operation, where the back end shares its transactions: what is written in it is there
   * if and only if the operation is. It holds a connection, so that it should be brief.
   */
  readonly tx?: Tx;
}

/**
 * Creates the resource before the reply. It must be idempotent by `operationId`: after a crash or a lost lease it is
 * called again with the same one. Throwing is a 503 and is tried again; `permanentFailure` ends the operation.
 */
export type CreateResource<Output, Tx = unknown> = (
  input: Output,
  context: CreateContext<Tx>,
) => CreatedResource | Promise<CreatedResource>;

/** What {@link defineOperation} takes. Only `name`, `path` and `input` are required. */
export interface OperationDefinitionOptions<
  Name extends string,
  Output,
  Result,
  Input = unknown,
  Tx = unknown,
> {
  /** Names the definition in stores and announcements; `[a-z0-9._-]`, at most 100 characters. Changing it orphans what is stored. */
  readonly name: Name;
  /**
   * What formats with a named root call one submission and one resource: the root element of XML, the top-level node of YANG
   * data. A letter or `_`, then `A-Za-z0-9._-`. Default `name`.
   */
  readonly rootName?: string;
  /** The path that is posted to, for example `/orders`. */
  readonly path: string;
  /** Any Standard Schema validator. */
  readonly input: StandardSchema<Input, Output>;
  /** Checked before a result is kept: what does not fit fails the operation. */
  readonly result?: StandardSchema<unknown, Result>;
  /** JSON Schema (2020-12) of the input, where the validator cannot give it itself. */
  readonly jsonSchema?: JsonSchema;
  /** Whether a request without `Idempotency-Key` is refused with 400. Default `optional`. */
  readonly idempotencyKey?: "optional" | "required";
  /** Whether clients may cancel with `DELETE /operations/<id>`. Default false. */
  readonly cancellable?: boolean;
  /** Makes the resource before the reply, which is then a 201 (spec §4.1). Without it the reply is a 202. */
  readonly create?: CreateResource<Output, Tx>;
  /** Tells clients to leave: every reply of the path says so in `Deprecation`, `Sunset` and `Link`. Nothing else changes. */
  readonly deprecated?: Deprecation;
}

/** What `POST <path>` accepts and what its work gives. Made by {@link defineOperation}. */
export interface OperationDefinition<
  Name extends string = string,
  Output = unknown,
  Result = unknown,
  Input = unknown,
> {
  /** Names it in stores, announcements and the processors of a worker. */
  readonly name: Name;
  /** What formats with a named root call a submission and a resource. */
  readonly rootName: string;
  /** The path that is posted to, without the service's `basePath`. */
  readonly path: string;
  /** Decides what is a 422, and what the processor gets. Asked again before every attempt. */
  readonly input: StandardSchema<Input, Output>;
  /** Checked before a result is kept. */
  readonly result?: StandardSchema<unknown, Result>;
  /** JSON Schema (2020-12) of the input, where it is known. */
  readonly jsonSchema?: JsonSchema;
  /** Whether a request without `Idempotency-Key` is refused with 400. */
  readonly idempotencyKey: "optional" | "required";
  /** Whether `DELETE /operations/<id>` is allowed; else it is a 405. */
  readonly cancellable: boolean;
  /** When and why clients should leave, told in every reply of the path. */
  readonly deprecated?: Deprecation;
  /** Makes the resource before the reply: see {@link CreateResource}. */
  // A method, so that a list can hold definitions of different outputs.
  create?(input: Output, context: CreateContext): CreatedResource | Promise<CreatedResource>;
}

/**
 * Defines an operation: a name, a path and a schema are enough.
 *
 * @throws AsyncReplyError `INVALID_OPTION`, naming the option
 */
export function defineOperation<
  const Name extends string,
  Output,
  Result = unknown,
  Input = unknown,
  Tx = unknown,
>(
  options: OperationDefinitionOptions<Name, Output, Result, Input, Tx>,
): OperationDefinition<Name, Output, Result, Input> {
  const { name, path, input, result, create, deprecated } = options;
  const { rootName = name, idempotencyKey = "optional", cancellable = false } = options;
  if (!/^[a-z0-9][a-z0-9._-]{0,99}$/.test(name)) throw invalidOption("name", "1 to 100 of `a-z0-9._-`", name);
  if (options.rootName !== undefined && !/^[A-Za-z_][A-Za-z0-9._-]{0,99}$/.test(rootName))
    throw invalidOption("rootName", "a letter or `_`, then at most 99 of `A-Za-z0-9._-`", rootName);
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
    rootName,
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

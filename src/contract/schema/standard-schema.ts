/**
 * Part of Standard Schema v1 (standardschema.dev) that this package uses. zod, valibot, arktype and others implement
 * it, so this package depends on none of them.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** Members of the standard. Their unusual name does not collide with the validator's own members. */
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    /** Returns the output, or what is wrong with the value. Does not throw for a refused value. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema, if the validator can describe itself. */
    readonly jsonSchema?:
      | {
          /** Describes the values that `validate` accepts. Throws if JSON Schema cannot express them. */
          readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
          /** Describes the values that `validate` returns. Throws if JSON Schema cannot express them. */
          readonly output?: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
        }
      | undefined;
  };
}

/** Result of a validation: the output, or at least one issue. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing that is wrong with a value. */
export interface StandardIssue {
  /** Message for the client. Becomes the `detail` of a violation. */
  readonly message: string;
  /** Keys from the root to the place of the issue. Absent if the issue is about the whole value. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Type of the values that a schema accepts. */
export type InferInput<S> = S extends StandardSchema<infer Input, infer _Output> ? Input : never;

/** Type of the output of a schema for a valid value. */
export type InferOutput<S> = S extends StandardSchema<infer _Input, infer Output> ? Output : never;

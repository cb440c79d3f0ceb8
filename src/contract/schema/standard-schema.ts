/**
 * The part of Standard Schema v1 (standardschema.dev) that this package uses. zod, valibot, arktype and others
 * implement it, so none of them has to be known here.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** Under this name, so that it meets no member of the validator's own. */
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    /** Gives the output, or what is wrong with the value. Does not throw for a value that is refused. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema, where the validator can describe itself. */
    readonly jsonSchema?:
      | {
          /** Describes what `validate` takes. Throws for what JSON Schema cannot say. */
          readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
          /** Describes what `validate` gives. Throws likewise. */
          readonly output?: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
        }
      | undefined;
  };
}

/** What a validator says of a value: the output, or at least one issue. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing that is wrong with a value. */
export interface StandardIssue {
  /** Shown to the client as the `detail` of a violation. */
  readonly message: string;
  /** Where it is: the keys from the root down. Absent for the value as a whole. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a schema takes. */
export type InferInput<S> = S extends StandardSchema<infer Input, infer _Output> ? Input : never;

/** What a schema turns a valid value into. */
export type InferOutput<S> = S extends StandardSchema<infer _Input, infer Output> ? Output : never;

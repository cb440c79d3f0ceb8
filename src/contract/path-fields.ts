/** The names of the fields of a path: `"accountId"` of `"/accounts/{accountId}/exports"`. */
export type PathFields<Path extends string> = Path extends `${string}{${infer Field}}${infer Rest}`
  ? Field | PathFields<Rest>
  : never;

/**
 * The fields of a path that are no required member of the input, or one that is not text, a number or a boolean. Never, if
 * nothing is known about the input.
 */
export type UnboundPathFields<Path extends string, Input> = unknown extends Input
  ? never
  : {
      [Field in PathFields<Path>]: Field extends keyof Input
        ? [Input[Field]] extends [string | number | boolean]
          ? never
          : Field
        : Field;
    }[PathFields<Path>];

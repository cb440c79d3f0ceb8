/** Names of the fields of a path: `"accountId"` for `"/accounts/{accountId}/exports"`. */
export type PathFields<Path extends string> = Path extends `${string}{${infer Field}}${infer Rest}`
  ? Field | PathFields<Rest>
  : never;

/**
 * Fields of a path that are not required members of the input with the type string, number or boolean. `never` if
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

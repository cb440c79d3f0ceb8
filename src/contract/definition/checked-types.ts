import type { NotJson } from "../json/json-types.js";
import type { UnboundPathFields } from "./path-pattern.js";

/** Makes the compiler refuse a path whose fields are not members of the input. */
export type CheckedPath<Path extends string, Input> = [UnboundPathFields<Path, Input>] extends [never]
  ? unknown
  : {
      readonly path: {
        readonly "every path field must be a required string, number or boolean member of the input": UnboundPathFields<
          Path,
          Input
        >;
      };
    };

/**
 * Makes the compiler refuse an input schema that accepts values JSON cannot represent. The reason is a text, so that it
 * ends the compiler's message.
 */
export type CheckedInput<Input> = [NotJson<Input>] extends [never]
  ? unknown
  : { readonly input: `JSON cannot represent ${KindOf<NotJson<Input>>}, which the input schema accepts` };

type KindOf<T> = T extends Date
  ? "a Date"
  : T extends bigint
    ? "a bigint"
    : T extends symbol
      ? "a symbol"
      : T extends ReadonlyMap<unknown, unknown>
        ? "a Map"
        : T extends ReadonlySet<unknown>
          ? "a Set"
          : "a function";

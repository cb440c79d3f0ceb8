import type { InputOf, ProgressOf, ResultOf } from "async-request-reply";
import type * as libraries from "./libraries.js";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Plain<T> = T extends object ? { -readonly [Name in keyof T]: Plain<T[Name]> } : T;

/** Types of the same contract in each library. effect makes members `readonly`. */
interface Contract {
  readonly input: { account: string; lines: { quantity: number }[]; note?: string };
  readonly result: { rows: number };
  readonly progress: { percent: number };
}

/** zod and the libraries in its manner allow `undefined` for an optional member. */
type WithUndefined = Omit<Contract["input"], "note"> & { note?: string | undefined };

type Inferred<Name extends keyof typeof libraries, Input> =
  Same<Plain<InputOf<(typeof libraries)[Name]>>, Plain<Input>> extends true
    ? Same<Plain<ResultOf<(typeof libraries)[Name]>>, Contract["result"]> extends true
      ? Same<Plain<ProgressOf<(typeof libraries)[Name]>>, Contract["progress"]>
      : "result"
    : "input";

/** Compiles only if each library has the three types. */
export type Results = {
  readonly [Name in keyof typeof libraries]: Inferred<Name, Contract["input"]> extends true
    ? true
    : Inferred<Name, WithUndefined>;
};

export const inferred: Results = {
  zod: true,
  zod3: true,
  valibot: true,
  describedValibot: true,
  arktype: true,
  effect: true,
  describedEffect: true,
  effect3: true,
  describedEffect3: true,
  typebox: true,
  typebox034: true,
};

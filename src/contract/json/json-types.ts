type Primitive = string | number | boolean | null;
type Unwritable =
  | bigint
  | symbol
  | undefined
  | Callable
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>;
type Callable = (...parameters: never[]) => unknown;

/** JSON form of `T`, as readers get it: a `Date` becomes a string, and members that are `undefined` are gone. */
export type Json<T> = unknown extends T
  ? unknown
  : T extends Primitive
    ? T
    : T extends {
          /** Returns the value to write instead. */
          toJSON(...parameters: never[]): infer Written;
        }
      ? Written
      : T extends Unwritable
        ? never
        : T extends readonly unknown[]
          ? { [Index in keyof T]: Json<T[Index]> }
          : T extends object
            ? { [Member in keyof T]: Json<Exclude<T[Member], undefined>> }
            : never;

/** Part of `T` that cannot be read from JSON text, or `never` if all of it can be. Looks three levels deep. */
export type NotJson<T> = unknown extends T
  ? never
  : T extends Primitive | undefined
    ? never
    : T extends Unreadable
      ? T
      : T extends readonly (infer Item)[]
        ? Shallow<Item>
        : T extends object
          ? { [Member in keyof T]-?: Members<Exclude<T[Member], undefined>> }[keyof T]
          : T;

// Ends the recursion for recursive types, such as trees.
type Members<T> = T extends Unreadable
  ? T
  : T extends readonly (infer Item)[]
    ? Shallow<Item>
    : T extends object
      ? { [Member in keyof T]-?: Shallow<Exclude<T[Member], undefined>> }[keyof T]
      : Shallow<T>;

type Shallow<T> = unknown extends T ? never : T extends Unreadable ? T : never;
type Unreadable = Date | bigint | symbol | Callable | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>;

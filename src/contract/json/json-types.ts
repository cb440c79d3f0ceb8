type Primitive = string | number | boolean | null;
type Unwritable =
  | bigint
  | symbol
  | undefined
  | Callable
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>;
type Callable = (...parameters: never[]) => unknown;

/** What a reader of JSON gets for a value of type `T`: a `Date` becomes a string, and members that are `undefined` are gone. */
export type Json<T> = unknown extends T
  ? unknown
  : T extends Primitive
    ? T
    : T extends {
          /** Returns what is written in place of the value. */
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

/** The part of `T` that no JSON text can be read as, or `never` if there is none. Looks three levels deep. */
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

// Recursive types, such as trees, end here.
type Members<T> = T extends Unreadable
  ? T
  : T extends readonly (infer Item)[]
    ? Shallow<Item>
    : T extends object
      ? { [Member in keyof T]-?: Shallow<Exclude<T[Member], undefined>> }[keyof T]
      : Shallow<T>;

type Shallow<T> = unknown extends T ? never : T extends Unreadable ? T : never;
type Unreadable = Date | bigint | symbol | Callable | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>;

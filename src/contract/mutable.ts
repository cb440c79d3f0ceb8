/** Type whose members can be set one after the other. */
export type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

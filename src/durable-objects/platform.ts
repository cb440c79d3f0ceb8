import type { ObjectStorage } from "../backends/durable-objects/storage.js";

/** `ctx.storage` of an object, with its alarm. */
export interface AlarmStorage extends ObjectStorage {
  /** Resolves to the time of the alarm, or to null. Epoch milliseconds. */
  getAlarm(): Promise<number | null>;
  /** Replaces the alarm. It is part of what the object writes in this turn. */
  setAlarm(atMs: number): Promise<void>;
  /** Resolves to the value that was put under a key, or to undefined. */
  get(key: string): Promise<unknown>;
  /** Puts a value under a key. It is part of what the object writes in this turn. */
  put(key: string, value: unknown): Promise<void>;
  /** Resolves to values that were put under keys. */
  list(options: { readonly limit: number }): Promise<{ readonly size: number }>;
  /** Deletes everything. */
  deleteAll(): Promise<void>;
  /** Removes the alarm. */
  deleteAlarm(): Promise<void>;
}

/** The first argument of the constructor of an object: `ctx`. */
export interface ObjectState {
  /** Storage of the object. Its class must be one with SQLite. */
  readonly storage: AlarmStorage;
  /** The name that the id was made from. Older versions of the platform do not tell it. */
  readonly id: { readonly name?: string | undefined };
  /** Keeps the object until this work has settled. */
  waitUntil(work: Promise<unknown>): void;
  /** Delivers no event before this work has settled. */
  blockConcurrencyWhile<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** The objects of a class: the binding of a Worker. */
export interface ObjectNamespace<Id = never> {
  /** Returns the id of the object with this name. */
  idFromName(name: string): Id;
  /** Returns a stub of the object with this id. */
  get(id: Id): ObjectStub;
}

/** Calls one object. */
export interface ObjectStub {
  /** Sends a request to the object. */
  fetch(request: Request): Promise<Response>;
}

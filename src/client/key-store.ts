import { invalidOption } from "../contract/options.js";
import type { MaybePromise } from "../contract/promises.js";
import { within } from "./pause.js";

/** Part of `localStorage` that a client uses. */
export interface KeyStorage {
  /** Returns the value with this name, or null. */
  getItem(name: string): string | null;
  /** Stores a value under this name. */
  setItem(name: string, value: string): void;
  /** Deletes the value with this name, if there is one. */
  removeItem(name: string): void;
}

/** Store for the keys of unanswered submissions: `localStorage`, a `Map`, or your own store. */
export type KeyStore =
  | KeyStorage
  | {
      /** Returns the value with this name, or null or undefined. */
      get(name: string): MaybePromise<string | null | undefined>;
      /** Stores a value. The submission is sent after the returned promise has resolved. */
      set(name: string, value: string): unknown;
      /** Deletes the value with this name, if there is one. */
      delete(name: string): unknown;
    };

type Method = (...args: readonly string[]) => unknown;

/** Names of the methods, in `localStorage` and in other stores. */
const LONG_NAMES = ["getItem", "setItem", "removeItem"];
const NAMES = ["get", "set", "delete"];

/** Key of a submission that is being sent. */
export interface Intent {
  readonly key: string;
  /** Whether the key was created for this submission, and not for an earlier one that got no answer. */
  readonly isNew: boolean;
  /** Deletes the key, because the submission got an answer. */
  close(): Promise<void>;
}

/** Returns the key for a submission. It is stored before this resolves. */
export type OpenIntent = (name: string) => Promise<Intent>;

/** The part of `navigator.locks` that a client uses. */
interface Locks {
  request(name: string, run: () => Promise<unknown>): Promise<unknown>;
}

/** A tab sees what another one puts into `localStorage` after some milliseconds. The lock is held longer than that. */
const SPREAD_MS = 250;

/**
 * Keeps the keys of submissions without an answer. Equal submissions at the same time share a key, also in other tabs.
 *
 * Throws `INVALID_OPTION` if the value is no store.
 */
export function createIntents(store: KeyStore): OpenIntent {
  const methods = store as unknown as Readonly<Record<string, Method | undefined>>;
  const [get, set, remove] = NAMES.map((name, index) => {
    const method = methods[LONG_NAMES[index] as string] ?? methods[name];
    if (method) return method.bind(store);
    throw invalidOption("keyStore", "`localStorage`, or an object with `get`, `set` and `delete`", store);
  }) as [Method, Method, Method];
  let last: Promise<unknown> = Promise.resolve();
  return (name) => {
    const open = async (): Promise<Intent> => {
      const stored = await get(name);
      const isNew = !isKey(stored);
      const key = isNew ? newKey() : stored;
      if (isNew) await set(name, key);
      // A later submission may already have stored its own key.
      return { key, isNew, close: async () => void ((await get(name)) === key && (await remove(name))) };
    };
    // Pages without HTTPS and older platforms have no locks, so only one client at a time is safe there.
    const locks = (globalThis as { readonly navigator?: { readonly locks?: Locks } }).navigator?.locks;
    const intent = !locks
      ? last.then(open, open)
      : new Promise<Intent>((resolve, reject) => {
          const run = (): Promise<unknown> => {
            const opened = open();
            resolve(opened);
            return opened.then(() => within(SPREAD_MS));
          };
          locks.request(name, run).catch(reject);
        });
    last = intent;
    return intent;
  };
}

/** Returns whether a value can be an idempotency key. */
export function isKey(value: unknown): value is string {
  return typeof value === "string" && /^[ -~]{1,255}$/.test(value);
}

/** Returns a random key of 128 bits. `crypto.randomUUID` is missing on pages without HTTPS. */
export function newKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}

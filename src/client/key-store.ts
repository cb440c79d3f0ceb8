import { invalidOption } from "../contract/options.js";
import type { MaybePromise } from "../contract/promises.js";

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

/** A key store of either kind. */
export type ShortKeyStore = Exclude<KeyStore, KeyStorage>;

/** Returns a store with short names. Throws `INVALID_OPTION` if the value is no store. */
export function toShortKeyStore(store: KeyStore): ShortKeyStore {
  if ("getItem" in store)
    return {
      get: (name) => store.getItem(name),
      set: (name, value) => store.setItem(name, value),
      delete: (name) => store.removeItem(name),
    };
  if (typeof store.get === "function") return store;
  throw invalidOption("keyStore", "`localStorage`, or an object with `get`, `set` and `delete`", store);
}

/** Key of a submission that is being sent. */
interface Intent {
  readonly key: string;
  /** Whether the key was created for this submission, and not for an earlier one that got no answer. */
  readonly isNew: boolean;
}

/** Keys of the submissions of a client that have no answer yet. */
export interface Intents {
  /** Returns the key for a submission. It is stored before this resolves. */
  open(name: string): Promise<Intent>;
  /** Deletes the key of a submission that got an answer. */
  close(name: string, intent: Intent): Promise<void>;
}

/** Creates the intents of a client. Submissions that are equal and sent at the same time share a key. */
export function createIntents(store: ShortKeyStore): Intents {
  const opening = new Map<string, Promise<Intent>>();
  const read = async (name: string): Promise<Intent> => {
    const stored = await store.get(name);
    if (typeof stored === "string") return { key: stored, isNew: false };
    const key = newKey();
    await store.set(name, key);
    return { key, isNew: true };
  };
  return {
    open: (name) => {
      const opened = opening.get(name) ?? read(name).finally(() => opening.delete(name));
      opening.set(name, opened);
      return opened;
    },
    close: async (name, { key }) => {
      // A later submission may already have stored its own key.
      if ((await store.get(name)) === key) await store.delete(name);
    },
  };
}

/** Returns a random key: 32 hexadecimal digits. `crypto.randomUUID` is missing on pages without HTTPS. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

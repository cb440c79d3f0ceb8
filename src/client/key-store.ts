import { type MaybePromise, misuse, shown } from "../contract/options.js";
import { within } from "./pause.js";

/** Storage for the keys of unanswered submissions: `localStorage`, a `Map`, or your own. */
export type KeyStorage =
  | {
      /** Returns the value with this name, or null. */
      getItem(name: string): string | null;
      /** Stores a value under this name. */
      setItem(name: string, value: string): void;
      /** Deletes the value with this name, if there is one. */
      removeItem(name: string): void;
    }
  | {
      /** Returns the value with this name, or null or undefined. */
      get(name: string): MaybePromise<string | null | undefined>;
      /** Stores a value. The submission is sent after the returned promise has resolved. */
      set(name: string, value: string): unknown;
      /** Deletes the value with this name, if there is one. */
      delete(name: string): unknown;
    };

type Method = (...args: readonly string[]) => unknown;

/** Key of a submission that is being sent. */
export interface Intent {
  /** The idempotency key. */
  readonly key: string;
  /** Whether no try with this key can have reached the service without an answer. */
  isNew: boolean;
  /** Deletes the key, because the submission got an answer. */
  close(): Promise<void>;
}

/** Opens the key of a submission, which is stored before this resolves. Created by {@link createKeyStore}. */
export type KeyStore = (name: string) => Promise<Intent>;

/** The part of `navigator.locks` that a client uses. */
interface Locks {
  request(name: string, run: () => Promise<unknown>): Promise<unknown>;
}

/** A tab sees what another one puts into `localStorage` after some milliseconds. The lock is held longer than that. */
const SPREAD_MS = 250;

/**
 * Creates the `keyStore` of a client, so that a submission after a reload has the same key as the one before that got no
 * answer. Equal submissions at the same time share a key, also in other tabs.
 *
 * Throws `INVALID_OPTION` if the value is no storage.
 */
export function createKeyStore(storage: KeyStorage): KeyStore {
  const methods = (storage ?? {}) as unknown as Readonly<Record<string, Method | undefined>>;
  const { getItem = methods.get, setItem = methods.set, removeItem = methods.delete } = methods;
  const [get, set, remove] = [getItem, setItem, removeItem].map((method) => {
    if (method) return method.bind(storage);
    throw misuse(
      `Pass createKeyStore \`localStorage\`, or an object with \`get\`, \`set\` and \`delete\`, not ${shown(storage)}.`,
    );
  }) as [Method, Method, Method];
  let last: Promise<Intent> | undefined;
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
    last = locks
      ? new Promise((resolve, reject) => {
          const run = (): Promise<unknown> => {
            const opened = open();
            resolve(opened);
            return opened.then(() => within(SPREAD_MS));
          };
          locks.request(name, run).catch(reject);
        })
      : (last?.then(open, open) ?? open());
    return last;
  };
}

/** Returns whether a value can be an idempotency key. */
export function isKey(value: unknown): value is string {
  return typeof value === "string" && /^[ -~]{1,255}$/.test(value);
}

/**
 * Returns a random key of 128 bits. `crypto.randomUUID` is missing on pages without HTTPS, and React Native has no
 * `crypto`. A key must be unique, but does not have to be secret.
 */
export function newKey(): string {
  const words = new Uint32Array(4);
  const { crypto: random } = globalThis as { readonly crypto?: typeof crypto };
  return (random?.getRandomValues(words) ?? words.map(() => Math.random() * 2 ** 32)).join("-");
}

import { v7 } from "uuid";
import { toBase64Url } from "../contract/base64url.js";
import { builtinModule } from "./builtin-module.js";
import { nextTurn } from "./next-turn.js";
import type { Clock, Runtime } from "./runtime.js";

/** Longest delay of a platform timer. A timer with a longer delay would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The platform's clock and timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  schedule: (delayMs, task) => {
    const timer = setTimeout(task, Math.min(delayMs, MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/**
 * Creates a runtime with the platform's clock, randomness and SHA-256. The hash is synchronous if Node.js offers it.
 */
export function createSystemRuntime(): Runtime {
  const takeRandom = createRandomPool();
  return {
    clock: systemClock,
    newId: () => v7({ random: takeRandom() }),
    newToken: () => encode(takeRandom()),
    random: Math.random,
    pause: nextTurn,
    hash: nodeHash() ?? subtleHash,
  };
}

const RANDOM_BYTES = 16;
const POOL_BYTES = 4_096;

/** Fetches random bytes from the system in large blocks, because one call per id would cost more than the id. */
function createRandomPool(): () => Uint8Array {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  return () => {
    if (used === POOL_BYTES) {
      crypto.getRandomValues(pool);
      used = 0;
    }
    used += RANDOM_BYTES;
    return pool.slice(used - RANDOM_BYTES, used);
  };
}

function encode(bytes: Uint8Array): string {
  return toBase64Url(String.fromCharCode(...bytes));
}

type OneShotHash = (algorithm: string, data: string, encoding: "base64url") => string;

function nodeHash(): ((text: string) => string) | undefined {
  const hash = builtinModule<{ readonly hash?: OneShotHash }>("node:crypto")?.hash;
  return hash === undefined ? undefined : (text) => hash("sha256", text, "base64url");
}

async function subtleHash(text: string): Promise<string> {
  return encode(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}

import { v7 } from "uuid";
import { toBase64Url } from "../contract/base64url.js";
import { MAX_TIMER_MS } from "../contract/timers.js";
import type { Clock, Runtime } from "../ports/runtime.js";
import { builtinModule } from "./builtin-module.js";
import { nextTurn } from "./waits.js";

/** The platform's clock and timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  schedule: (delayMs, task) => {
    const timer = setTimeout(task, Math.min(delayMs, MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
  scheduleInBackground: (delayMs, task) => {
    const timer: number | { unref?(): void } = setTimeout(task, Math.min(delayMs, MAX_TIMER_MS));
    // Browsers and some other runtimes return a number.
    if (typeof timer === "object") timer.unref?.();
    return () => clearTimeout(timer as Parameters<typeof clearTimeout>[0]);
  },
};

/**
 * Creates a runtime with the platform's clock, randomness and SHA-256. The hash is synchronous if Node.js offers it.
 */
export function createSystemRuntime(): Runtime {
  const takeRandom = createRandomPool();
  return {
    clock: systemClock,
    newId: createIds(takeRandom),
    newToken: () => toHex(takeRandom()),
    random: Math.random,
    pause: nextTurn,
    hash: nodeHash() ?? subtleHash,
  };
}

/**
 * Creates ids that sort in the order of their creation, also within a millisecond (RFC 9562 §6.2, method 1). With random
 * bytes of the caller, the library counts nothing itself.
 */
function createIds(takeRandom: () => Uint8Array): () => string {
  let msecs = 0;
  let seq = 0;
  return () => {
    const random = takeRandom();
    const now = Date.now();
    const isNext = now > msecs;
    if (isNext || seq === MAX_SEQ) {
      msecs = isNext ? now : msecs + 1;
      // Leaves room to count.
      seq = new DataView(random.buffer, random.byteOffset).getUint32(0) >>> 1;
    } else seq += 1;
    return v7({ random, msecs, seq });
  };
}

const MAX_SEQ = 0xff_ff_ff_ff;

const RANDOM_BYTES = 16;
const POOL_BYTES = 4_096;

/**
 * Fetches random bytes from the system in large blocks, because one call per id would cost more than the id. The next call
 * overwrites the returned bytes, so callers use them at once.
 */
function createRandomPool(): () => Uint8Array {
  const pool = new Uint8Array(POOL_BYTES);
  const taken = new Uint8Array(RANDOM_BYTES);
  let used = POOL_BYTES;
  // Otherwise, all processes from one snapshot would go on with the same bytes.
  onStartFromSnapshot(() => {
    used = POOL_BYTES;
  });
  return () => {
    if (used === POOL_BYTES) {
      crypto.getRandomValues(pool);
      used = 0;
    }
    // A `subarray` would be a new object.
    for (let index = 0; index < RANDOM_BYTES; index += 1) taken[index] = pool[used + index] as number;
    used += RANDOM_BYTES;
    return taken;
  };
}

interface V8 {
  readonly startupSnapshot?: {
    /** A number in some versions. */
    isBuildingSnapshot(): boolean | number;
    addDeserializeCallback(callback: () => void): void;
  };
}

/** Calls the function in each process that starts from the startup snapshot of Node.js that this process is building, if any. */
function onStartFromSnapshot(call: () => void): void {
  const snapshot = builtinModule<V8>("node:v8")?.startupSnapshot;
  try {
    if (snapshot?.isBuildingSnapshot()) snapshot.addDeserializeCallback(call);
  } catch {
    // Other runtimes have these functions without implementing them.
  }
}

const HEX_DIGITS = Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0));

/** Character codes of the text that {@link toHex} returns. Kept, because a new array takes longer than the rest. */
const codes = new Array<number>(2 * RANDOM_BYTES).fill(0);

/** Returns a flat text. Engines keep one that was put together with `+` as a tree of its parts, which takes longer. */
function toHex(bytes: Uint8Array): string {
  for (let index = 0; index < RANDOM_BYTES; index += 1) {
    const byte = bytes[index] as number;
    codes[2 * index] = HEX_DIGITS[byte >> 4] as number;
    codes[2 * index + 1] = HEX_DIGITS[byte & 15] as number;
  }
  return String.fromCharCode(...codes);
}

type OneShotHash = (algorithm: string, data: string, encoding: "base64url") => string;

function nodeHash(): ((text: string) => string) | undefined {
  const hash = builtinModule<{ readonly hash?: OneShotHash }>("node:crypto")?.hash;
  return hash === undefined ? undefined : (text) => hash("sha256", text, "base64url");
}

async function subtleHash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return toBase64Url(String.fromCharCode(...new Uint8Array(digest)));
}

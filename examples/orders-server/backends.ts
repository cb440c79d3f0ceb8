import { type Backend, createMemoryBackend, type Queue } from "async-request-reply";
import { openPGlite, openPostgres } from "./postgres.js";
import { StartError } from "./start-error.js";

/** A kind of back end or queue, which knows its own addresses. */
interface Kind {
  readonly accepts: RegExp;
}

interface BackendKind extends Kind {
  /** Whether several processes can work on it, which `ROLE=api` and `ROLE=worker` need. */
  readonly shared: boolean;
  open(address: string): Promise<Backend>;
}

interface QueueKind extends Kind {
  open(address: string): Promise<Queue>;
}

/** What `BACKEND` may be, by the form of its addresses. */
const backends: Readonly<Record<string, BackendKind>> = {
  "memory:": { accepts: /^memory:$/, shared: false, open: async () => createMemoryBackend() },
  "pglite:DIR": { accepts: /^pglite:./, shared: false, open: openPGlite },
  "postgres://…": { accepts: /^postgres(ql)?:\/\/./, shared: true, open: openPostgres },
};

/** What `QUEUE` may be, by the form of its addresses. */
const queues: Readonly<Record<string, QueueKind>> = {};

/**
 * Finds the back end of an address.
 *
 * @throws StartError which names the known forms
 */
export function findBackend(address: string): BackendKind {
  return find(backends, "BACKEND: unknown back end", address);
}

/**
 * Finds the queue of an address.
 *
 * @throws StartError which names the known forms
 */
export function findQueue(address: string): QueueKind {
  return find(queues, "QUEUE: unknown queue", address);
}

function find<K extends Kind>(kinds: Readonly<Record<string, K>>, unknown: string, address: string): K {
  const kind = Object.values(kinds).find(({ accepts }) => accepts.test(address));
  if (kind !== undefined) return kind;
  const known = Object.keys(kinds).join(", ") || "none: leave it unset";
  throw new StartError(`${unknown} "${withoutCredentials(address)}", known are ${known}`);
}

/** An address may hold a password, which must not end up in a log. */
function withoutCredentials(address: string): string {
  return address.replace(/:.*@/s, ":…@");
}

import { type Backend, createMemoryBackend, type Queue } from "async-request-reply";
import { openPGlite, openPostgres } from "./postgres.js";
import { openBullmq, openNats, openRabbitmq } from "./queues.js";
import { openSqlite } from "./sqlite.js";
import { StartError } from "./start-error.js";

/** A kind of back end or queue. */
interface Kind {
  /** Matches the addresses of this kind. */
  readonly accepts: RegExp;
}

interface BackendKind extends Kind {
  /** Whether several processes can share it, which `ROLE=api` and `ROLE=worker` need. */
  readonly shared: boolean;
  open(address: string): Promise<Backend>;
}

interface QueueKind extends Kind {
  open(address: string): Promise<Queue>;
}

/** Back ends that `BACKEND` can name, by the form of their addresses. */
const backends: Readonly<Record<string, BackendKind>> = {
  "memory:": { accepts: /^memory:$/, shared: false, open: async () => createMemoryBackend() },
  "sqlite:FILE": { accepts: /^sqlite:./, shared: true, open: openSqlite },
  "pglite:DIR": { accepts: /^pglite:./, shared: false, open: openPGlite },
  "postgres://…": { accepts: /^postgres(ql)?:\/\/./, shared: true, open: openPostgres },
};

/** Queues that `QUEUE` can name, by the form of their addresses. */
const queues: Readonly<Record<string, QueueKind>> = {
  "amqp://…": { accepts: /^amqps?:\/\/./, open: openRabbitmq },
  "nats://…": { accepts: /^nats:\/\/./, open: openNats },
  "bullmq+redis://…": { accepts: /^bullmq\+rediss?:\/\/./, open: openBullmq },
};

/**
 * Finds the back end for an address.
 *
 * @throws StartError, which names the known forms
 */
export function findBackend(address: string): BackendKind {
  return find(backends, "BACKEND", address);
}

/**
 * Finds the queue for an address.
 *
 * @throws StartError, which names the known forms
 */
export function findQueue(address: string): QueueKind {
  return find(queues, "QUEUE", address);
}

function find<K extends Kind>(kinds: Readonly<Record<string, K>>, variable: string, address: string): K {
  const kind = Object.values(kinds).find(({ accepts }) => accepts.test(address));
  if (kind !== undefined) return kind;
  const known = Object.keys(kinds).join(", ");
  throw new StartError(`${variable} must be one of ${known}, not "${withoutCredentials(address)}"`);
}

/** Hides the credentials of an address, because a password must not end up in a log. */
function withoutCredentials(address: string): string {
  return address.replace(/:.*@/s, ":…@");
}

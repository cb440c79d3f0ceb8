import { AsyncReplyError, type Backend, type OperationStore, type Queue } from "async-request-reply";
import type { Submissions } from "async-request-reply/ports";

/** The parts of a client that the back end uses. */
export interface RedisClient {
  /** Runs a script as one atomic step, with the clock of the server. */
  fcall(name: string, keys: readonly string[], args: readonly string[]): Promise<string>;
  subscribe(channel: string, onMessage: (message: string) => void): () => void;
  ping(): Promise<unknown>;
}

type Call = <Result>(name: string, keys: readonly string[], argument: unknown) => Promise<Result>;

/**
 * Outlines a back end to prove that the ports fit: one hash per operation, and sorted sets for due, expiring and
 * listed operations.
 */
export function createRedisBackend(redis: RedisClient, queue: Queue): Backend<never> {
  const call: Call = async (name, keys, argument) => {
    try {
      return JSON.parse(await redis.fcall(name, keys, [JSON.stringify(argument)]));
    } catch (cause) {
      throw new AsyncReplyError("STORE_UNAVAILABLE", "Redis did not answer.", { cause });
    }
  };
  const operations = operationsOf(redis, call);
  const submissions: Submissions<never> = {
    record: (submission) => call("record", [`o:${submission.operation.id}`], submission),
    recordMany: (list) =>
      call(
        "record-many",
        list.map(({ operation }) => `o:${operation.id}`),
        list,
      ),
    findKey: async (reference) => (await call("find", ["bindings"], reference)) ?? undefined,
    // The script deletes keys and operations together. Scores are expiry times, so each operation has its own retention.
    // Operations with an existing successor are not in the set.
    purge: (request) => call("purge", ["expires"], request),
  };
  return {
    operations,
    queue,
    submissions,
    check: async () => void (await redis.ping()),
    close: () => queue.close(),
  };
}

function operationsOf(redis: RedisClient, call: Call): OperationStore {
  const at = (id: string): readonly string[] => [`o:${id}`];
  return {
    keeps: ["deadlines", "limits"],
    // The due time is the current time of the server plus `delayMs`.
    create: (operation, initial) => call("create", at(operation.id), { operation, initial }),
    get: async (id, tenant) => (await call("get", at(id), tenant)) ?? undefined,
    // The script takes from the sorted sets of due work, and returns the score of the first one that is left.
    claim: (request) =>
      call(
        "claim",
        request.definitions.map(({ name }) => `due:${name}`),
        request,
      ),
    renew: (lease, change) => call("renew", at(lease.operationId), { lease, change }),
    // The script reads `onEnd` from the hash, so the caller only passes the settlement.
    settle: (lease, settlement) => call("settle", at(lease.operationId), { lease, settlement }),
    requestCancel: (id, tenant) => call("cancel", at(id), tenant),
    watch: (onChange) => redis.subscribe("changes", onChange),
    getMany: (ids) => call("get-many", ids.flatMap(at), null),
    list: (request) => call("list", [`created:${request.tenant ?? ""}`], request),
    // ZCOUNT is logarithmic, and ZRANGE finds the oldest one.
    stats: (request) =>
      call(
        "stats",
        request.definitions.flatMap((name) => [`due:${name}`, `failed:${name}`]),
        request,
      ),
    countPending: (requests) =>
      call(
        "count-pending",
        requests.map(({ definition, tenant = "" }) => `pending:${definition}:${tenant}`),
        requests,
      ),
    redrive: (id, successor) => call("redrive", [...at(id), ...at(successor.id)], successor),
    // The script takes from a sorted set of deadlines.
    endOverdue: (request) => call("end-overdue", ["overdue"], request),
    pause: async (definition, by) => void (await call("pause", ["paused"], { definition, by })),
    resume: async (definition) => void (await call("resume", ["paused"], definition)),
  };
}

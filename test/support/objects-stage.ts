import { setImmediate as turn } from "node:timers/promises";
import { defineOperation, permanentFailure } from "async-request-reply";
import {
  createDirectoryObject,
  createObjectsOperator,
  createOperationsObject,
  type ObjectNamespace,
  type OperationsObject,
  routeToTenant,
} from "async-request-reply/durable-objects";
import { createManualClock } from "async-request-reply/testing";
import * as z from "zod";
import { createMemoryStorage, type MemoryStorage } from "./object-storage.js";

const input = z.object({ fails: z.boolean().optional() });
const definitions = [
  defineOperation({ name: "reports", path: "/reports", input }),
  defineOperation({ name: "passing", path: "/passing", input, retentionMs: 1_000, failedRetentionMs: 1_000 }),
  defineOperation({ name: "kept", path: "/kept", input, retentionMs: 604_800_000 }),
] as const;

type Opened = OperationsObject<typeof definitions>;

/** An object of the stage, in memory or not. */
interface StageObject {
  readonly storage: MemoryStorage;
  /** Number of alarms that have rung. */
  alarms: number;
  /** Number of works that keep it in memory. */
  works: number;
  opening?: Promise<Opened>;
}

/** Turns of the event loop after which nothing goes on without a timer. */
const TURNS = 20;

const work = async ({ fails = false }: z.output<typeof input>): Promise<void> => {
  if (fails) throw permanentFailure("The report is broken.");
};

/**
 * Objects with a directory, and the Worker before them, on a platform in memory with a manual clock.
 *
 * @param shards Number of objects of a tenant. Default: 1.
 */
export function createObjectsStage(shards: (tenant: string) => number = () => 1) {
  const clock = createManualClock(Date.now());
  const objects = new Map<string, StageObject>();
  const calls: string[] = [];
  let rows = createMemoryStorage();
  let known = createDirectoryObject({ storage: rows });
  /** How the directory answers. */
  const directory = { answer: (request: Request): Promise<Response> => known.fetch(request) };
  const bindings = {
    directory: namespace((_, request) => {
      calls.push(request.headers.get("async-request-reply-call") ?? "");
      return directory.answer(request);
    }),
    objects: namespace(async (name, request) => (await open(name)).fetch(request)),
  };
  const route = routeToTenant({
    definitions,
    authorize: ({ header }) => ({ id: "caller", tenant: header("x-tenant") ?? "" }),
    objects: () => bindings.objects,
    list: true,
    observe: false,
    shards,
  });

  function object(name: string): StageObject {
    const kept = objects.get(name) ?? { storage: createMemoryStorage(), alarms: 0, works: 0 };
    objects.set(name, kept);
    return kept;
  }

  function open(name: string): Promise<Opened> {
    const stored = object(name);
    stored.opening ??= (async () => {
      let loading: Promise<unknown> | undefined;
      const opened = createOperationsObject(
        {
          storage: stored.storage,
          id: { name },
          waitUntil: (working) => {
            stored.works += 1;
            void working.finally(() => {
              stored.works -= 1;
            });
          },
          blockConcurrencyWhile: (loads) => {
            const started = loads();
            loading = started;
            return started;
          },
        },
        {
          definitions,
          processors: { reports: work, passing: work, kept: work },
          service: { list: true, observe: false },
          directory: bindings.directory,
          runtime: { clock },
        },
      );
      await loading;
      return opened;
    })();
    return stored.opening;
  }

  async function moveTo(at: number): Promise<void> {
    await clock.advance(Math.max(0, at - clock.now()));
    for (let count = 0; count < TURNS; count += 1) await turn();
  }

  async function advance(ms: number): Promise<void> {
    const end = clock.now() + ms;
    await moveTo(clock.now());
    for (;;) {
      const alarms = [...objects].map(([name, { storage }]) => ({ name, at: storage.alarmAt ?? Infinity }));
      const next = alarms.sort((one, other) => one.at - other.at)[0];
      if (next === undefined || next.at > end) break;
      await moveTo(next.at);
      await ring(next.name);
    }
    await moveTo(end);
  }

  /** Delivers an alarm, unless it was moved. */
  async function ring(name: string): Promise<void> {
    const stored = object(name);
    if ((stored.storage.alarmAt ?? Infinity) > clock.now()) return;
    stored.storage.alarmAt = null;
    stored.alarms += 1;
    void open(name).then(({ alarm }) => alarm());
    await moveTo(clock.now());
  }

  return {
    clock,
    object,
    /** Opens an object without a request. */
    open,
    /** Calls to the directory, by name. */
    calls,
    directory,
    operator: createObjectsOperator({ ...bindings, definitions, observe: false }),
    /** Lets time pass, with its alarms. Milliseconds. */
    advance,
    /** Removes an object from memory. */
    evict: (name: string) => void delete object(name).opening,
    /** Loses everything that the directory knows. */
    lose: () => {
      rows = createMemoryStorage();
      known = createDirectoryObject({ storage: rows });
    },
    /** Returns the names of the objects that the directory knows. */
    known: () => rows.sql.exec("select name from arr_objects order by name").toArray(),
    /** Returns the counts that the directory knows. */
    counts: () => rows.sql.exec("select * from arr_counts").toArray(),
    /** Sends a request of a tenant. With a body, it submits. */
    call: (tenant: string, path: string, body?: object, key?: string): Promise<Response> =>
      route(
        new Request(`http://localhost${path}`, {
          headers: {
            "x-tenant": tenant,
            ...(body && { "content-type": "application/json" }),
            ...(key !== undefined && { "idempotency-key": key }),
          },
          ...(body && { method: "POST", body: JSON.stringify(body) }),
        }),
        {},
      ),
  };
}

function namespace(answer: (name: string, request: Request) => Promise<Response>): ObjectNamespace<unknown> {
  return {
    idFromName: (name) => name,
    get: (name) => ({ fetch: (request) => answer(name as string, request) }),
  };
}

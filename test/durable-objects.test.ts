import { setImmediate as turn } from "node:timers/promises";
import { defineOperation } from "async-request-reply";
import {
  createDirectoryObject,
  createObjectsOperator,
  createOperationsObject,
  type ObjectNamespace,
  type ObjectState,
  routeToTenant,
} from "async-request-reply/durable-objects";
import { describe, expect, it } from "vitest";
import * as z from "zod";

const input = z.strictObject({});
const reports = defineOperation({ name: "reports", path: "/reports", input });

interface FakeState extends ObjectState {
  readonly alarms: readonly number[];
  readonly works: readonly Promise<unknown>[];
}

/** An object whose database fails at each call. */
function brokenObject(): FakeState {
  return fakeObject(() => {
    throw new Error("The database is broken.");
  });
}

/** An object with this database. */
function fakeObject(exec: ObjectState["storage"]["sql"]["exec"]): FakeState {
  const alarms: number[] = [];
  const works: Promise<unknown>[] = [];
  return {
    alarms,
    works,
    id: { name: "ada" },
    waitUntil: (work) => void works.push(work),
    blockConcurrencyWhile: (work) => work(),
    storage: {
      sql: { exec },
      transactionSync: (steps) => steps(),
      getAlarm: async () => null,
      setAlarm: async (at) => void alarms.push(at),
      get: async () => undefined,
      put: async () => {},
      list: async () => new Map(),
      deleteAlarm: async () => {},
      deleteAll: async () => {},
    },
  };
}

/** Objects that answer like this. */
function namespace(fetch: (request: Request) => Promise<Response>): ObjectNamespace<unknown> {
  return { idFromName: (name) => name, get: () => ({ fetch }) };
}

/** A submission that a Worker forwards for this principal. */
function submission(principal: object): Request {
  const headers = {
    "content-type": "application/json",
    "async-request-reply-principal": encodeURIComponent(JSON.stringify(principal)),
  };
  return new Request("http://localhost/reports", { method: "POST", headers, body: "{}" });
}

function open(state: ObjectState, options: object = {}) {
  return createOperationsObject(state, {
    definitions: [reports],
    processors: { reports: () => undefined },
    service: { observe: false },
    ...options,
  });
}

/** Sends the object of `ada` a request with this principal. Returns the reply and the events. */
async function forwarded(principal?: object): Promise<{ reply: Response; events: { error?: unknown }[] }> {
  const events: { error?: unknown }[] = [];
  const observe = (event: object): void => void events.push(event);
  const { fetch } = open(brokenObject(), { service: { observe } });
  const headers: Record<string, string> =
    principal === undefined
      ? {}
      : { "async-request-reply-principal": encodeURIComponent(JSON.stringify(principal)) };
  const id = "01a22859-8d33-7596-883b-b906631e9c98";
  const reply = await fetch(new Request(`http://localhost/operations/${id}`, { headers }));
  return { reply, events };
}

describe("createOperationsObject", () => {
  it("sets the next alarm before it works, and never rejects when something fails", async () => {
    const state = brokenObject();
    const { alarm } = open(state);
    for (let time = 1; time <= 8; time += 1) {
      const before = Date.now();
      await alarm();
      await Promise.all(state.works);
      await turn();
      expect(state.alarms.length).toBeGreaterThanOrEqual(time);
      expect(state.alarms.at(-1)).toBeGreaterThan(before);
      expect(state.alarms.at(-1)).toBeLessThanOrEqual(Date.now() + 10_000);
    }
  });

  it("sets the alarm in the turn of a record in a transaction of the user", async () => {
    const state = fakeObject(() => ({ toArray: () => [] }));
    const { service } = open(state);
    const prepared = await service.prepare(reports, {}, { tenant: "ada" });
    const before = state.alarms.length;
    prepared.record(state.storage.sql);
    expect(state.alarms.length).toBe(before + 1);
    // A rollback takes the alarm along, so the next record sets it again.
    prepared.record(state.storage.sql);
    expect(state.alarms.length).toBe(before + 2);
  });

  it.each([
    ["that came from elsewhere", undefined, "routeToTenant()"],
    ["for another tenant", { id: "ann", tenant: "ben" }, "another tenant"],
  ])("answers 503 to a request %s, and says why in the event", async (_, principal, why) => {
    const { reply, events } = await forwarded(principal);
    expect(reply.status).toBe(503);
    expect(await reply.json()).toMatchObject({ type: expect.stringContaining("authorization-unavailable") });
    expect(String(events[0]?.error)).toContain(why);
  });

  it("accepts members of a newer Worker that it does not know", async () => {
    const { reply } = await forwarded({ id: "ann", tenant: "ada", shard: 3 });
    // It is authorized, and gets as far as the database.
    expect(await reply.json()).toMatchObject({ type: expect.stringMatching(/#unavailable$/) });
  });

  it.each(["running", "pending"])("refuses a limit of all tenants: %s", (limit) => {
    const limited = defineOperation({ name: "limited", path: "/limited", input, limits: { [limit]: 2 } });
    const options = { definitions: [limited], processors: { limited: () => undefined } };
    expect(() => open(brokenObject(), options)).toThrow(
      expect.objectContaining({
        code: "INVALID_OPTION",
        message: expect.stringMatching(`"limited".*\`${limit}\`.*\`${limit}PerTenant\`.*\`perObject: true\``),
      }),
    );
    expect(() => open(brokenObject(), { ...options, perObject: true })).not.toThrow();
  });

  it.each([
    ["service.maxBodyBytes", { service: { maxBodyBytes: 2_000_000 } }],
    ["service.maxResultBytes", { service: { maxResultBytes: 2_000_000 } }],
    ["worker.maxResultBytes", { worker: { maxResultBytes: 2_000_000 } }],
  ])("refuses values that no row holds: %s", (name, options) => {
    expect(() => open(brokenObject(), options)).toThrow(new RegExp(`\`${name}\` is 2000000.*900000`));
  });

  it("answers 503 to submissions until the directory has given it a number, and says why in the event", async () => {
    const events: { error?: unknown }[] = [];
    const directory = namespace(() => Promise.reject(new Error("The directory is down.")));
    const { fetch } = open(
      fakeObject(() => ({ toArray: () => [] })),
      { directory, service: { observe: (event: object) => void events.push(event) } },
    );
    const reply = await fetch(submission({ id: "ann", tenant: "ada" }));
    expect([reply.status, reply.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(events.map(({ error }) => String(error))).toEqual([
      expect.stringContaining("object could not be reached"),
      expect.stringContaining("no number yet"),
    ]);
  });

  it("refuses to keep a share of a tenant without a directory", () => {
    const state = { ...brokenObject(), id: { name: "ada\u00000\u00002" } };
    expect(() => open(state)).toThrow(
      expect.objectContaining({
        code: "INVALID_OPTION",
        message: expect.stringMatching(/several objects.*`directory`/),
      }),
    );
  });

  it("says what is missing without definitions", () => {
    expect(() => open(brokenObject(), { definitions: undefined })).toThrow(/`definitions` must be a list/);
  });

  it("says what to pass instead of another object", () => {
    expect(() => open({} as never)).toThrow(/`ctx\.storage`.*this\.ctx/);
    expect(() => open(brokenObject(), { perobject: true })).toThrow(/perobject.*perObject/);
  });
});

describe("routeToTenant", () => {
  const authorize = (): { id: string } => ({ id: "ada" });
  const objects = () => namespace(async () => new Response());

  it.each([
    ["serialBy", { serialBy: () => "lane" }],
    ["runningPerTenant", { limits: { runningPerTenant: 2 } }],
    ["pendingPerTenant", { limits: { pendingPerTenant: 2 } }],
  ])("refuses several objects for definitions with %s", (name, given) => {
    const definitions = [defineOperation({ name: "narrow", path: "/narrow", input, ...given })];
    const options = { definitions, authorize, objects };
    expect(() => routeToTenant({ ...options, shards: 2 })).toThrow(
      expect.objectContaining({
        code: "INVALID_OPTION",
        message: expect.stringMatching(`"narrow".*\`${name}\`.*\`shards\``),
      }),
    );
    expect(() => routeToTenant(options)).not.toThrow();
  });

  it.each([0, 65, 1.5])("refuses %s objects", async (shards) => {
    const options = { definitions: [reports], authorize, objects };
    expect(() => routeToTenant({ ...options, shards })).toThrow(/`shards`/);
    const events: { error?: unknown }[] = [];
    const observe = (event: object): void => void events.push(event);
    const route = routeToTenant({ ...options, shards: () => shards, observe });
    expect((await route(submission({ id: "ada" }), {})).status).toBe(500);
    expect(String(events.at(-1)?.error)).toContain("`shards(tenant)`");
  });

  it("passes no call of a client on", async () => {
    const forwarded: Request[] = [];
    const route = routeToTenant({
      definitions: [reports],
      authorize,
      objects: () =>
        namespace(async (request) => {
          forwarded.push(request);
          return new Response();
        }),
    });
    const request = submission({ id: "ada" });
    request.headers.set("async-request-reply-call", "inspect");
    await route(request, {});
    expect(forwarded.map(({ headers }) => headers.get("async-request-reply-call"))).toEqual([null]);
  });

  it("says what is missing without definitions", () => {
    const options = { authorize, objects, shards: 2 };
    expect(() => routeToTenant(options as never)).toThrow(/`definitions` must be a list/);
  });

  it("says what to pass instead of the objects", () => {
    const options = { definitions: [reports], authorize, objects: {} };
    expect(() => routeToTenant(options as never)).toThrow(/`objects`.*binding/);
  });

  it("answers 503 if the object cannot be reached", async () => {
    const objects = () => ({
      idFromName: (name: string) => name,
      get: () => ({
        fetch: () => Promise.reject(new Error("Durable Object reset because its code was updated.")),
      }),
    });
    const route = routeToTenant({ definitions: [reports], authorize, objects, observe: false });
    const body = JSON.stringify({});
    const headers = { "content-type": "application/json" };
    const request = new Request("http://localhost/reports", { method: "POST", headers, body });
    const reply = await route(request, {});
    expect([reply.status, reply.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await reply.json()).toMatchObject({ status: 503 });
  });
});

describe("createObjectsOperator", () => {
  const bindings = {
    objects: namespace(async () => new Response()),
    directory: namespace(() => Promise.reject(new Error("The directory is down."))),
  };
  const operator = createObjectsOperator({ ...bindings, definitions: [reports] });

  it("says what to pass instead of a binding", () => {
    expect(() =>
      createObjectsOperator({ ...bindings, directory: {}, definitions: [reports] } as never),
    ).toThrow(/`directory` must be the binding of a class with Durable Objects/);
    expect(() => createDirectoryObject({} as never)).toThrow(/this\.ctx/);
  });

  it("rejects with the reason if the directory cannot be reached", async () => {
    const unavailable = expect.objectContaining({ code: "STORE_UNAVAILABLE" });
    await expect(operator.stats()).rejects.toThrow(unavailable);
    await expect(operator.get("01a22859-8d33-7596-883b-b906631e9c98")).rejects.toThrow(unavailable);
    await expect(operator.tenants({ by: "size" as never })).rejects.toThrow(
      /`due` or `running` or `failed` or `age`/,
    );
  });
});

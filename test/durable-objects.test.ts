import { setImmediate as turn } from "node:timers/promises";
import { defineOperation } from "async-request-reply";
import { createOperationsObject, type ObjectState, routeToTenant } from "async-request-reply/durable-objects";
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

  it("says what to pass instead of another object", () => {
    expect(() => open({} as never)).toThrow(/`ctx\.storage`.*this\.ctx/);
    expect(() => open(brokenObject(), { perobject: true })).toThrow(/perobject.*perObject/);
  });
});

describe("routeToTenant", () => {
  const authorize = (): { id: string } => ({ id: "ada" });

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

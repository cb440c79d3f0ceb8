import { defineOperation } from "async-request-reply";
import {
  createDirectoryObject,
  createObjectsOperator,
  type ObjectNamespace,
} from "async-request-reply/durable-objects";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createMemoryStorage } from "../support/object-storage.js";
import { createObjectsStage } from "../support/objects-stage.js";

/** Calls a function of a directory. */
function createDirectory() {
  const { fetch } = createDirectoryObject({ storage: createMemoryStorage() });
  return async <Value>(name: string, request: object): Promise<Value> => {
    const headers = { "async-request-reply-call": name };
    const sent = new Request("http://localhost/", { method: "POST", headers, body: JSON.stringify(request) });
    return ((await (await fetch(sent)).json()) as { readonly value: Value }).value;
  };
}

describe("a directory", () => {
  it("orders tenants by the work that is due for the longest time, although others of their definitions have none", async () => {
    const call = createDirectory();
    const counts = { due: 0, running: 0, scheduled: 0, failed: 1 };
    const dueSince: Record<string, Record<string, number>> = {
      none: {},
      first: { b: 1 },
      third: { a: 9, b: 3 },
      second: { a: 2 },
    };
    for (const [tenant, since] of Object.entries(dueSince)) {
      const counted = ["a", "b", "c"].map((definition) => ({
        ...counts,
        definition,
        ...(since[definition] !== undefined && { due: 1, dueSince: since[definition] }),
      }));
      await call("report", { tenant, shard: 0, shards: 1, counts: counted });
    }
    const tenants = await call<readonly { readonly tenant: string }[]>("tenants", { by: "age", limit: 10 });
    expect(tenants.map(({ tenant }) => tenant)).toEqual(["first", "second", "third", "none"]);
  });
});

/** Objects whose calls are answered by a function of their name and of the request. */
function namespace(answer: (name: string, request: never) => unknown): ObjectNamespace<unknown> {
  return {
    idFromName: (name) => name,
    get: (name) => ({
      fetch: async (request) =>
        Response.json({ value: answer(name as string, (await request.json()) as never) }),
    }),
  };
}

describe("a list of all objects", () => {
  it("has each operation once although the directory names an object again", async () => {
    const names = Array.from({ length: 120 }, (_, place) => `tenant ${place}`);
    const newest = names.map((name, place) => ({ name, newestAt: 1_000 - place }));
    const again = { name: "tenant 5", newestAt: 890 };
    const operator = createObjectsOperator({
      definitions: [defineOperation({ name: "reports", path: "/reports", input: z.object({}) })],
      directory: namespace((_, { after }: { readonly after?: unknown }) =>
        after === undefined ? newest.slice(0, 100) : [...newest.slice(100), again],
      ),
      objects: namespace((tenant) => [
        { id: tenant, tenant, definition: "reports", state: "completed", attempt: 1, createdAt: 800 },
      ]),
    });
    const { operations } = await operator.list({ limit: 1_000 });
    expect(operations.map(({ tenant }) => tenant).sort()).toEqual(names.sort());
  });

  it("has each operation once and in order, with any filter and size of its pages", async () => {
    const { call, advance, clock, operator } = createObjectsStage();
    for (let place = 0; place < 40; place += 1) {
      await call(`tenant ${(place * 5) % 9}`, "/reports", { fails: place % 3 === 0 });
      // Some are created at the same time.
      if (place % 4 === 0) await clock.advance(1);
    }
    await advance(200_000);
    const all = (await operator.list({ limit: 1_000 })).operations;
    expect(all).toHaveLength(40);
    const middle = all[20]?.createdAt ?? new Date();
    const filters = [
      [{}, all],
      [{ status: "failed" }, all.filter(({ status }) => status === "failed")],
      [{ status: "completed" }, all.filter(({ status }) => status === "completed")],
      [{ createdFrom: middle }, all.filter(({ createdAt }) => createdAt >= middle)],
      [{ createdBefore: middle }, all.filter(({ createdAt }) => createdAt < middle)],
      [
        { status: "failed", createdBefore: middle },
        all.filter(({ status, createdAt }) => status === "failed" && createdAt < middle),
      ],
      [{ tenant: "tenant 3" }, all.filter(({ tenant }) => tenant === "tenant 3")],
    ] as const;
    for (const [filter, expected] of filters)
      for (const limit of [1, 3, 7]) {
        const found: string[] = [];
        for (let cursor: string | undefined; ; ) {
          const page = await operator.list({ ...filter, limit, cursor });
          found.push(...page.operations.map(({ operationId }) => operationId));
          cursor = page.cursor;
          if (cursor === undefined) break;
        }
        expect(found, JSON.stringify([filter, limit])).toEqual(
          expected.map(({ operationId }) => operationId),
        );
      }
  });
});

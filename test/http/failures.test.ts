import { AsyncReplyError, createMemoryBackend, type ProblemName } from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import type { Change } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { modes } from "../support/composed-backend.js";
import { interceptBackend } from "../support/intercept-backend.js";
import { createProcess, KEY, runsOf, typeOf } from "./service-process.js";

// test/README.md lists the numbered failures and the tests that cover them.

describe("failure 10: two errors share a code", () => {
  it("gives every refusal its own problem type", async () => {
    const requests: Readonly<Record<string, Change>> = {
      "missing-idempotency-key": {},
      "invalid-idempotency-key": { fields: { "idempotency-key": "x".repeat(256) } },
      "malformed-request": { fields: { ...KEY, "content-type": ["application/json", "application/json"] } },
      "unsupported-media-type": { fields: { ...KEY, "content-type": "text/plain" } },
      "unsupported-content-coding": { fields: { ...KEY, "content-encoding": "gzip" } },
      "not-acceptable": { fields: { ...KEY, accept: "text/html" } },
      "body-too-large": { fields: KEY, body: "x".repeat(65_537) },
      "malformed-body": { fields: KEY, body: "{" },
      "contract-violation": { fields: KEY, body: "{}" },
      "method-not-allowed": { method: "PUT" },
      "not-found": { path: "/nothing" },
    };
    const { submit } = createProcess(createMemoryBackend(), { idempotencyKey: "required" });
    for (const [name, change] of Object.entries(requests))
      expect(typeOf(await submit(change))).toBe(problemType(name as ProblemName));
    await submit();
    expect(typeOf(await submit({ fields: KEY, body: '{"itemId":"x","quantity":1}' }))).toBe(
      problemType("idempotency-key-reused"),
    );
  });
});

describe("failure 16: a client forges reply fields, or a failing store leaves requests hanging", () => {
  it("ignores reply fields in a request", async () => {
    const backend = createMemoryBackend();
    const { submit } = createProcess(backend);
    const forged = {
      "idempotent-replayed": "true",
      location: "/operations/1",
      "operation-location": "/x",
      "retry-after": "0",
    };
    const { status, headers } = await submit({ fields: { ...KEY, ...forged } });
    expect(status).toBe(202);
    expect(headers).not.toHaveProperty("idempotent-replayed");
    expect(headers.location).toMatch(/^\/operations\/[0-9a-f-]{36}$/);
    expect(await runsOf(backend)).toEqual([1]);
  });

  const thrown: readonly (readonly [error: unknown, status: number, problem: ProblemName])[] = [
    [new AsyncReplyError("STORE_UNAVAILABLE", "down"), 503, "unavailable"],
    [new AsyncReplyError("OVERLOADED", "full"), 503, "unavailable"],
    [new AsyncReplyError("CORRUPT_RECORD", "row 7"), 500, "internal"],
    [new Error("down"), 500, "internal"],
    ["down", 500, "internal"],
    [undefined, 500, "internal"],
    [null, 500, "internal"],
  ];

  it.each(modes)("answers with a problem, no matter what a store throws, with $mode", async (each) => {
    for (const [error, status, problem] of thrown) {
      const backend = interceptBackend(each.createBackend(), async ({ port }, proceed) => {
        if (port === "queue") return proceed();
        throw error;
      });
      const { submit, read } = createProcess(backend);
      const unknown = "/operations/01980000-0000-7000-8000-000000000000";
      const replies = [await submit(), await submit({}), await read(unknown)];
      for (const reply of replies) {
        expect([reply.status, typeOf(reply)]).toEqual([status, problemType(problem)]);
        expect(JSON.parse(String(reply.body)).status).toBe(status);
      }
    }
  });

  it.each(modes)("times out when a store never answers a submission, with $mode", async (each) => {
    const clock = createManualClock();
    const backend = interceptBackend(each.createBackend({ clock }), ({ port }, proceed) =>
      port === "queue" ? proceed() : new Promise(() => {}),
    );
    const { submit } = createProcess(backend, { runtime: { clock } });
    const answering = submit();
    await clock.advance(10_000);
    expect([(await answering).status, typeOf(await answering)]).toEqual([503, problemType("unavailable")]);
  });

  it.each(["read", "cancel", "create"] as const)(
    "times out when a store never answers a request to %s",
    async (action) => {
      const clock = createManualClock();
      let hanging = false;
      const backend = interceptBackend(createMemoryBackend({ clock }), ({ port, method }, proceed) =>
        hanging && port !== "queue" && method !== "record" ? new Promise(() => {}) : proceed(),
      );
      const create = action === "create" ? { create: () => ({ body: {} }) } : {};
      const process = createProcess(backend, { runtime: { clock }, cancellable: true, ...create });
      const path = action === "create" ? "" : ((await process.submit()).headers.location ?? "");
      hanging = true;
      const answering = action === "create" ? process.submit() : process[action](path);
      await clock.advance(120_000);
      expect((await answering).status).toBe(503);
    },
  );
});

describe("failure 35: a Location contains a credential", () => {
  it("never copies the query of the request target or a cookie into a reply field", async () => {
    const { submit } = createProcess(createMemoryBackend(), {
      create: () => ({ body: {}, location: "/shop/1" }),
    });
    const asked = { path: "/orders?access_token=secret", fields: { cookie: "secret" } };
    const { status, headers } = await submit(asked);
    expect(status).toBe(201);
    expect(JSON.stringify(headers)).not.toContain("secret");
  });
});

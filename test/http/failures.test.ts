import {
  AsyncReplyError,
  createMemoryBackend,
  type HttpResponse,
  type ProblemName,
  problemType,
} from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { interceptBackend } from "../../src/testing/intercept-backend.js";
import type { Change } from "../../src/testing/suites/adapter/orders-fixture.js";
import { modes } from "../composed-backend.js";
import { createProcess, KEY, runsOf, typeOf } from "./service-process.js";

// What went wrong elsewhere, by the numbers of the list of failures that this project keeps. Here are those of requests
// and replies; the others are shown where their subject is:
//
//  1-3, 8, 11, 14, 24, 28  time limits, leases, fencing, owners, terminal states: the port suites, run by test/backends
//  4, 37                   malformed keys: the adapter suite (idempotency-key), test/contract/idempotency-key.test.ts;
//                          what the pages cite: test/docs/wording.test.ts
//  5                       two entry points, one table: test/http/message.test.ts
//  13, 20                  races and tenants: the adapter suite (recording), test/adapters/node-storm.test.ts
//  7, 9, 21, 30            keys: test/http/failures-keys.test.ts
//  12, 17-19, 22, 23, 25   stores and queues that fail: test/http/failures-stores.test.ts, the simulator, test/processes
//  15                      keys and definitions: test/http/security-access.test.ts, S2
//  26, 27, 29, 31          attempts, takeover, stopping, cancelling: test/worker
//  32-34                   polling: the adapter suite (status), test/worker/results.test.ts
//  36                      replays: the adapter suite (recording, creation)
//  38-40, 42, 44, 45       YAML, XML and webhooks: with these formats and webhooks
//  41                      duplicate names: test/formats/strict-json.test.ts, test/http/corpora-json.test.ts

describe("failure 10: an error that passes for another", () => {
  it("does not happen: each failure has a problem type of its own", async () => {
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

describe("failure 16: markers that clients can set, and stores that leave requests hanging", () => {
  it("does not happen: forged fields of a reply in a request change nothing", async () => {
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

  it.each(modes)(
    "does not happen: a store that throws anything is answered for, with $mode",
    async (each) => {
      for (const [error, status, problem] of thrown) {
        const backend = interceptBackend(each.createBackend(), async ({ port }, proceed) => {
          if (port === "queue") return proceed();
          throw error;
        });
        const { submit, read } = createProcess(backend);
        const replies = [
          await submit(),
          await submit({}),
          await read("/operations/01980000-0000-7000-8000-000000000000"),
        ];
        for (const reply of replies) {
          expect([reply.status, typeOf(reply)]).toEqual([status, problemType(problem)]);
          expect(JSON.parse(String(reply.body)).status).toBe(status);
        }
      }
    },
  );

  it.each(modes)("does not happen: a store that never answers is given up, with $mode", async (each) => {
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
    "does not happen: a request to %s is answered although the store never is",
    async (action) => {
      const clock = createManualClock();
      let hanging = false;
      const backend = interceptBackend(createMemoryBackend({ clock }), ({ port, method }, proceed) =>
        hanging && port !== "queue" && method !== "record" ? new Promise(() => {}) : proceed(),
      );
      const create = action === "create" ? { create: () => ({ body: {} }) } : {};
      const { submit, read, cancel } = createProcess(backend, {
        runtime: { clock },
        cancellable: true,
        ...create,
      });
      const path = action === "create" ? "" : ((await submit()).headers.location ?? "");
      hanging = true;
      let reply: HttpResponse | undefined;
      const answering = { read: () => read(path), cancel: () => cancel(path), create: () => submit() }[
        action
      ]();
      void answering.then((answer) => {
        reply = answer;
      });
      await clock.advance(120_000);
      expect(reply?.status).toBe(503);
    },
  );
});

describe("failure 35: a credential in a Location", () => {
  it("does not happen, even when it came in the request target", async () => {
    const { submit } = createProcess(createMemoryBackend(), {
      create: () => ({ body: {}, location: "/shop/1" }),
    });
    const { status, headers } = await submit({
      path: "/orders?access_token=secret",
      fields: { cookie: "secret" },
    });
    expect(status).toBe(201);
    expect(JSON.stringify(headers)).not.toContain("secret");
  });
});

import { createMemoryBackend, defineOperation, type OrderServiceOptions } from "async-request-reply";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { jsonPost, openService } from "../service/open-service.js";
import { submission } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { modes } from "../support/composed-backend.js";
import { effort } from "../support/effort.js";
import { startServer, writeRequest } from "../support/node-harness.js";
import { createProcess, idOf, KEY } from "./service-process.js";

// test/README.md lists the numbered failures.

describe("failure 7: a full store evicts a live key", () => {
  it("refuses new operations when full, and still knows the keys it accepted", async () => {
    const { submit } = createProcess(createMemoryBackend({ maxOperations: 2 }));
    const first = await submit();
    await submit({ fields: { "idempotency-key": "second" } });
    const refused = await submit({ fields: { "idempotency-key": "third" } });
    expect([refused.status, refused.headers["retry-after"]]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    const again = await submit();
    expect([again.status, idOf(again)]).toEqual([202, idOf(first)]);
  });
});

describe("failure 9: a reply is sent before the operation is recorded", () => {
  it.each(modes)(
    "replays to a client that retries at the first byte of the reply, with $mode",
    async (each) => {
      const { service } = createProcess(each.createBackend());
      const server = await startServer(service);
      for (let round = 0; round < 20; round += 1) {
        const [first, second] = [server.connect(), server.connect()];
        const repeated = submission({ fields: { "idempotency-key": `k${round}` } });
        await writeRequest(first, repeated);
        await first.readUntil("H");
        await writeRequest(second, { ...repeated, body: '{ "quantity": 2.0, "itemId": "\\u0062ook" }' });
        const { status, headers } = await second.read("POST");
        expect([status, new Map(headers).get("idempotent-replayed")]).toEqual([202, "true"]);
      }
      await server.close();
    },
  );
});

describe("failure 21: two different keys are joined to the same string", () => {
  // Splits one text into a tenant and a key in two ways, around anything a store might put between the parts.
  const between = fc.constantFrom("orders", ":orders:", "/orders/", "6:orders", "", ":");
  const part = fc.string({ unit: fc.constantFrom("a", "b", ":", "1", "/"), minLength: 1, maxLength: 3 });

  it.each(modes)("keeps tenant and key apart wherever the text is split, with $mode", async (each) => {
    const property = fc.asyncProperty(part, part, part, between, async (first, middle, last, joint) => {
      const authorize: OrderServiceOptions["authorize"] = (asking) => ({
        id: asking.header("authorization") ?? "",
      });
      const { submit } = createProcess(each.createBackend(), { authorize });
      const send = async (tenant: string, key: string): Promise<string> =>
        idOf(await submit({ fields: { authorization: tenant, "idempotency-key": key } }));
      const long = await send(first + joint + middle, last);
      const short = await send(first, middle + joint + last);
      expect(long).not.toBe(short);
      expect(await send(first, middle + joint + last)).toBe(short);
    });
    await fc.assert(property, { numRuns: effort(50, 200) });
  });
});

describe("failure 30: a key is bound to only a part of the request", () => {
  it("keeps the keys of two definitions apart and compares their payloads", async () => {
    const input = z.object({ n: z.number() });
    const definitions = ["reports", "exports"].map((name) =>
      defineOperation({ name, path: `/${name}`, input }),
    );
    const { service } = openService(definitions);
    const send = (path: string, n: number) => service.handle(jsonPost(path, { n }, KEY));
    const sent = [send("/reports", 1), send("/exports", 2), send("/reports", 1), send("/exports", 2)];
    const replies = await Promise.all(sent);
    expect(replies.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    expect(new Set(replies.map(idOf)).size).toBe(2);
    expect((await send("/exports", 1)).status).toBe(422);
  });
});

import { defineOperation } from "async-request-reply";
import { submitOperation } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { jsonPost, openService } from "../service/open-service.js";

const input = z.object({ account: z.string() });
const since = new Date("2026-11-01T00:00:00Z");

const old = defineOperation({ name: "old", path: "/accounts/{account}/old", input, deprecated: { since } });
const current = defineOperation({ name: "current", path: "/accounts/{account}/current", input });

const create = () => openService([old, current]).service;
const post = (path: string) => jsonPost(path, { account: "a" });

/** Texts that no field of a path can have. */
const MALFORMED = ["%", "%zz", "%ff", ".", "%2E%2e", "ü", ""];

describe("a deprecated path with fields", () => {
  it.each(MALFORMED)("is announced in the 404 for the malformed field %j", async (field) => {
    const service = create();
    const reply = await service.handle(post(`/accounts/${field}/old`));
    expect(reply.status).toBe(404);
    expect(reply.headers).toMatchObject({ deprecation: "@1793491200" });
    expect(service.hasPath(`/accounts/${field}/old`)).toBe(false);
    const others = await service.handle(post(`/accounts/${field}/current`));
    expect(others.status).toBe(404);
    expect(others.headers).not.toHaveProperty("deprecation");
  });

  it("is announced by the handler of one definition too", async () => {
    const service = create();
    for (const [field, status] of [
      ["a", 202],
      ["%", 404],
    ] as const) {
      const reply = await submitOperation(post(`/accounts/${field}/old`), service, old);
      expect(reply.status).toBe(status);
      expect(reply.headers).toMatchObject({ deprecation: "@1793491200" });
    }
  });
});

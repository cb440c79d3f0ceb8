import { allowAnonymous, createService, defineOperation, type JsonSchema } from "async-request-reply";
import { expect, it } from "vitest";
import { anything } from "../../support/careless-schema.js";
import { describePostgres } from "../../support/postgres/server.js";
import { createRetryStage } from "../../support/retry-stage.js";
import { openMigrated } from "./submissions.js";

const integer: JsonSchema = { type: "object", properties: { m: { type: "integer" } } };
const integerOrText: JsonSchema = { type: "object", properties: { m: { type: ["integer", "string"] } } };

const XML = { type: "application/xml", body: "<order><m>2</m></order>" };
const OTHER_XML = { type: "application/xml", body: "<order><m>3</m></order>" };
const JSON_BODY = { type: "application/json", body: '{"m":2}' };
const OTHER_JSON = { type: "application/json", body: '{"m":3}' };

await describePostgres("a retry in another format, after a deploy that widened the schema", (server) => {
  it.each([
    ["answered with 202", {}],
    ["created before the reply", { create: (body: Record<string, unknown>) => ({ body }) }],
  ])("replays an operation that was %s", async (_, options) => {
    const send = createRetryStage(await openMigrated(server), options);
    expect(await send({ ...XML, schema: integer })).toBe("accepted");
    for (const schema of [integer, integerOrText]) {
      expect(await send({ ...XML, schema })).toBe("replayed");
      expect(await send({ ...JSON_BODY, schema })).toBe("replayed");
      expect(await send({ ...OTHER_XML, schema })).toBe("idempotency-key-reused");
      expect(await send({ ...OTHER_JSON, schema })).toBe("idempotency-key-reused");
    }
  });

  it("replays an operation if it is submitted in a transaction", async () => {
    const backend = await openMigrated(server);
    expect(await createRetryStage(backend)({ ...XML, schema: integer })).toBe("accepted");
    const members = { input: anything, jsonSchema: integerOrText };
    const definitions = [defineOperation({ name: "orders", path: "/orders", ...members })] as const;
    const service = createService({ backend, definitions, authorize: allowAnonymous() });
    const tx = await server.pool.connect();
    try {
      const submit = (m: number) =>
        service.submit(definitions[0], { m }, { tx, tenant: "anonymous", key: "k" });
      expect(await submit(2)).toMatchObject({ replayed: true });
      await expect(submit(3)).rejects.toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
    } finally {
      tx.release();
    }
  });
});

import { bearer, createOrderService, createWorker } from "async-request-reply";
import { expect, it } from "vitest";
import { describePostgres } from "../../support/postgres/server.js";

await describePostgres("the rows in Postgres", (server) => {
  it("contain no credentials, with any outcome of the request", async () => {
    const backend = server.open();
    const service = createOrderService({ backend, authorize: bearer({ "the-secret-token": "tenant-1" }) });
    for (const [token, body] of [
      ["the-secret-token", '{"itemId":"book","quantity":1}'],
      ["the-secret-token", '{"itemId":"book","quantity":0}'],
      ["another-secret-token", '{"itemId":"book","quantity":1}'],
    ] as const) {
      const headers = {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "idempotency-key": "k",
      };
      await service.handle({ method: "POST", path: "/orders", headers, body });
    }
    await createWorker(service, { orders: () => ({ done: true }) }).runUntilIdle();
    const { rows } = await server.pool.query<{ row: string }>(
      `select o::text as row from ${backend.schema}.operations o`,
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).toContain("tenant-1");
    expect(rows[0]?.row).not.toMatch(/secret|bearer/i);
  });
});

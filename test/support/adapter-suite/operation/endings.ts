import type { Settlement } from "async-request-reply/ports";
import { operationError } from "../../../../src/contract/problem.js";
import { deepEqual } from "../../../../src/testing/expect.js";
import type { AdapterCase } from "../fixtures/adapter-case.js";
import { ERRORS, mountOrders, request, submission } from "../fixtures/orders-fixture.js";
import { checkReply, field, jsonOf, operationIdOf } from "../fixtures/reply-checks.js";

/** Ways in which operations end, and what clients see. */
const endings: readonly (readonly [name: string, settlement: Settlement, shown: object])[] = [
  ["completed without a result", { to: "completed" }, { status: "completed" }],
  [
    "completed with a result",
    { to: "completed", result: '{"shipped":2}' },
    { status: "completed", result: { shipped: 2 } },
  ],
  ...ERRORS.map((name) => {
    const error = operationError(name, "Why it is so.");
    const shown = { status: "failed", error: { ...JSON.parse(error), name } };
    return [`failed with ${name}`, { to: "failed", error }, shown] as const;
  }),
];

const keyed = { "idempotency-key": "k" };

/** Operations that have ended, in every possible way. */
export const endingCases: readonly AdapterCase[] = endings.map(([name, settlement, shown]) => ({
  name: `shows an operation that ${name} alike to GET, DELETE and a waiting POST, without Retry-After`,
  rule: "docs/contract.md, reading the status",
  run: async (harness) => {
    const { send, backend, begin, recorded } = await mountOrders(harness, { cancellable: true });
    const operationId = operationIdOf(await send(submission({ fields: keyed })));
    await backend.operations.settle(await begin(operationId), settlement);
    const [ended] = await recorded();
    const createdAt = new Date(ended?.createdAt ?? 0).toISOString();
    const finishedAt = new Date(ended?.settledAt ?? 0).toISOString();
    const path = `/operations/${operationId}`;
    const read = await send(request("GET", path));
    const cancelled = await send(request("DELETE", path));
    const waited = await send(submission({ fields: { ...keyed, prefer: "wait=20" } }));
    for (const reply of [read, cancelled, waited]) {
      checkReply(reply, 200, { "retry-after": undefined });
      const common = { operationId, definition: "orders", createdAt, attempt: 1, finishedAt };
      deepEqual(jsonOf(reply), { ...common, ...shown }, "the body");
    }
    const again = await send(request("GET", path, { "if-none-match": field(read, "etag") ?? "" }));
    checkReply(again, 304, { "retry-after": undefined });
  },
}));

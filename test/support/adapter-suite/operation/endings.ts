import type { ProblemName } from "async-request-reply";
import type { JsonText, Settlement } from "async-request-reply/ports";
import { operationError } from "../../../../src/contract/problem.js";
import { deepEqual } from "../../../../src/testing/expect.js";
import { claimOne } from "../../claims.js";
import type { AdapterCase } from "../fixtures/adapter-case.js";
import { mountOrders, request, submission } from "../fixtures/orders-fixture.js";
import { checkFields, checkStatus, field, jsonOf, operationIdOf } from "../fixtures/reply-checks.js";

const ERRORS: readonly ProblemName[] = [
  "work-failed",
  "attempts-exhausted",
  "invalid-result",
  "input-refused",
  "cancelled",
  "expired",
  "abandoned",
];

const error = (name: ProblemName): JsonText => operationError(name, "Why it is so.");

/** Ways in which operations end, and what clients see. */
const endings: readonly {
  readonly name: string;
  readonly settlement: Settlement;
  readonly shown: Readonly<Record<string, unknown>>;
}[] = [
  { name: "completed without a result", settlement: { to: "completed" }, shown: { status: "completed" } },
  {
    name: "completed with a result",
    settlement: { to: "completed", result: '{"shipped":2}' },
    shown: { status: "completed", result: { shipped: 2 } },
  },
  ...ERRORS.map((problem) => ({
    name: `failed with ${problem}`,
    settlement: { to: "failed", error: error(problem) } as const,
    shown: { status: "failed", error: { ...(JSON.parse(error(problem)) as object), name: problem } },
  })),
];

const keyed = { fields: { "idempotency-key": "k" } };

/** Operations that have ended, in every possible way. */
export const endingCases: readonly AdapterCase[] = endings.map(
  ({ name, settlement, shown }): AdapterCase => ({
    name: `shows an operation that ${name} alike to GET, DELETE and a waiting POST, without Retry-After`,
    rule: "docs/contract.md, reading the status",
    run: async (harness) => {
      const { send, backend, recorded } = await mountOrders(harness, { cancellable: true });
      const operationId = operationIdOf(await send(submission(keyed)));
      const lease = { operationId, token: "token-of-this-attempt" };
      await claimOne(backend.operations, operationId, { token: lease.token, leaseMs: 60_000 });
      await backend.operations.settle(lease, settlement);
      const [ended] = await recorded();
      const createdAt = new Date(ended?.createdAt ?? 0).toISOString();
      const finishedAt = new Date(ended?.settledAt ?? 0).toISOString();
      const path = `/operations/${operationId}`;
      const read = await send(request("GET", path));
      const cancelled = await send(request("DELETE", path));
      const waited = await send(submission({ fields: { ...keyed.fields, prefer: "wait=20" } }));
      for (const reply of [read, cancelled, waited]) {
        checkStatus(reply, 200);
        checkFields(reply, { "retry-after": undefined });
        const common = { operationId, definition: "orders", createdAt, attempt: 1, finishedAt };
        deepEqual(jsonOf(reply), { ...common, ...shown }, "the body");
      }
      const again = await send(request("GET", path, { "if-none-match": field(read, "etag") ?? "" }));
      checkStatus(again, 304);
      checkFields(again, { "retry-after": undefined });
    },
  }),
);

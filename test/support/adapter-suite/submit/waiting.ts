import { deepEqual } from "../../../../src/testing/expect.js";
import { casesOf } from "../fixtures/cases-of.js";
import { mountOrders, request, submission } from "../fixtures/orders-fixture.js";
import { watchReads } from "../fixtures/reads.js";
import {
  checkFields,
  checkReply,
  checkStatus,
  jsonOf,
  operationIdOf,
  WHOLE_SECONDS,
} from "../fixtures/reply-checks.js";

const RULE = "RFC 7240 §4.3";
const WAITED = { vary: "accept, prefer", "preference-applied": "wait=20", "cache-control": "no-store" };
const waitingSubmission = submission({ fields: { prefer: "wait=20", "idempotency-key": "k" } });

/** POST with `Prefer: wait`. */
export const waitingSubmissionCases = casesOf({
  [RULE]: {
    "answers a POST that prefers to wait with the operation if it ends in time": async (harness) => {
      const { backend, read } = watchReads(harness.createBackend(), "getMany");
      const { send, work, recorded } = await mountOrders(harness, { backend });
      const waiting = send(waitingSubmission);
      await read;
      await work(() => ({ shipped: 2 }));
      const reply = await waiting;
      checkStatus(reply, 200);
      const [operation] = await recorded();
      const path = `/operations/${operation?.id}`;
      checkFields(reply, {
        ...WAITED,
        "content-location": path,
        location: undefined,
        "retry-after": undefined,
        "idempotent-replayed": undefined,
        etag: undefined,
      });
      deepEqual(reply.body, (await send(request("GET", path))).body, "the body");
    },
    "answers a POST that prefers to wait as usual once the time is over": async (harness) => {
      const { send, recorded } = await mountOrders(harness, { maxWaitMs: 1 });
      const reply = await send(waitingSubmission);
      const operationId = operationIdOf(reply);
      checkFields(reply, {
        ...WAITED,
        "preference-applied": "wait=1",
        location: `/operations/${operationId}`,
        "content-location": undefined,
        "retry-after": WHOLE_SECONDS,
      });
      deepEqual(jsonOf(reply), { operationId, status: "pending" }, "the body");
      deepEqual((await recorded()).length, 1, "the number of operations");
    },
    "answers a replayed POST that prefers to wait with the operation that has ended": async (harness) => {
      const { send, work } = await mountOrders(harness);
      const operationId = operationIdOf(await send(submission({ fields: { "idempotency-key": "k" } })));
      await work();
      const reply = await send(waitingSubmission);
      checkReply(reply, 200, {
        ...WAITED,
        "content-location": `/operations/${operationId}`,
        "idempotent-replayed": "true",
      });
      deepEqual(jsonOf(reply).status, "completed", "the status");
    },
    "ignores the preference to wait if the resource is created before the reply": async (harness) => {
      const { send } = await mountOrders(harness, { create: () => ({ body: { made: true } }) });
      for (const replayed of [undefined, "true"]) {
        checkReply(await send(waitingSubmission), 201, {
          vary: "accept",
          "preference-applied": undefined,
          "idempotent-replayed": replayed,
        });
      }
    },
  },
});

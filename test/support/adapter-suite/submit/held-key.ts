import { AsyncReplyError } from "async-request-reply";
import { deepEqual } from "../../../../src/testing/expect.js";
import { interceptBackend } from "../../intercept-backend.js";
import { casesOf } from "../fixtures/cases-of.js";
import { mountOrders, submission } from "../fixtures/orders-fixture.js";
import { checkProblem } from "../fixtures/refusal.js";
import { checkStatus, WHOLE_SECONDS } from "../fixtures/reply-checks.js";

/** Keys that another transaction holds until the store stops waiting. */
export const heldKeyCases = casesOf({
  "draft-ietf-httpapi-idempotency-key-header-07 §2.7": {
    "answers 409 with Retry-After while another transaction holds the key, and accepts the key afterwards":
      async (harness) => {
        let held = true;
        const backend = interceptBackend(harness.createBackend(), async ({ method }, proceed) => {
          if (held && ["record", "bind"].includes(method))
            throw new AsyncReplyError("SUBMISSION_IN_PROGRESS", "The key is held.");
          return proceed();
        });
        const { send, recorded } = await mountOrders(harness, { backend });
        const keyed = submission({ fields: { "idempotency-key": "k" } });
        const refused = await send(keyed);
        checkProblem(refused, 409, "submission-in-progress", { "retry-after": WHOLE_SECONDS });
        held = false;
        checkStatus(await send(keyed), 202);
        deepEqual((await recorded()).length, 1, "the number of operations");
      },
  },
});

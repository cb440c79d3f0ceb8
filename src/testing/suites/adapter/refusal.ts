import { type ProblemName, problemType } from "../../../contract/problem.js";
import { deepEqual, equal, ok } from "../../expect.js";
import type { AdapterCase, AdapterHarness, WireRequest, WireResponse } from "./adapter-case.js";
import { mountOrders, type Options, type Orders, submission } from "./orders-fixture.js";
import { checkFields, checkStatus, jsonOf } from "./reply-checks.js";

/** A request that must be refused, and the expected reply. */
export interface Refusal extends Pick<AdapterCase, "name" | "rule" | "needs"> {
  readonly options?: Options;
  readonly request: WireRequest;
  readonly status: number;
  readonly problem: ProblemName;
  /** Fields that the reply must have, or must not have if the value is `undefined`. */
  readonly fields?: Readonly<Record<string, string | RegExp | undefined>>;
  /** Members of the problem besides those that all problems have. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** The key that is free after every refusal. */
export const REFUSED_KEY = "key-of-a-refused-request";

/**
 * Builds the case of a refusal: the problem is correct, nothing is recorded, and the key of the request stays free.
 */
export function refusalCase(refusal: Refusal): AdapterCase {
  const { name, rule, needs, options, request, status, problem, fields = {}, members = {} } = refusal;
  return {
    name,
    rule,
    ...(needs === undefined ? {} : { needs }),
    run: async (harness) => {
      const orders = await mountOrders(harness, options);
      const reply = await orders.send(request);
      checkProblem(reply, status, problem, request.method);
      checkFields(reply, fields);
      for (const [member, value] of Object.entries(members))
        deepEqual(jsonOf(reply)[member], value, `the member ${member}`);
      await checkNothingBound(harness, orders, request);
    },
  };
}

/** Checks the properties that all problems share (RFC 9457 §3). */
export function checkProblem(
  reply: WireResponse,
  status: number,
  problem: ProblemName,
  method = "POST",
): void {
  checkStatus(reply, status);
  checkFields(reply, {
    "content-type": "application/problem+json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  if (method === "HEAD") equal(reply.body, "", "the body of a reply to HEAD");
  else checkProblemBody(reply, problem);
}

function checkProblemBody(reply: WireResponse, problem: ProblemName): void {
  const { type, title, status, detail } = jsonOf(reply);
  equal(type, problemType(problem), "the type of the problem");
  equal(status, reply.status, "the status in the problem");
  ok(typeof title === "string" && title !== "", "the problem should have a title");
  ok(detail === undefined || typeof detail === "string", "expected the detail of a problem to be text");
}

async function checkNothingBound(
  harness: AdapterHarness,
  refusing: Orders,
  refused: WireRequest,
): Promise<void> {
  deepEqual(await refusing.recorded(), [], "operations recorded for a refused request");
  if (!refused.headers.some(([, value]) => value === REFUSED_KEY)) return;
  // Sends the same key with another payload. If the refusal had bound the key, this would be a reused key.
  const orders = await mountOrders(harness, { backend: refusing.backend });
  const next = submission({
    fields: { "idempotency-key": REFUSED_KEY },
    body: '{"itemId":"pen","quantity":9}',
  });
  const reply = await orders.send(next);
  checkStatus(reply, 202);
  checkFields(reply, { "idempotent-replayed": undefined });
  deepEqual((await orders.recorded()).length, 1, "number of operations after the retry");
}

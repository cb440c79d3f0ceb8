import { createMemoryBackend } from "async-request-reply";
import { describe } from "vitest";
import { adapterCases } from "../support/adapter-suite/cases.js";
import { declareAdapterCases } from "../support/adapter-suite/declare-cases.js";
import { basePathCases } from "../support/adapter-suite/mounting/base-path.js";
import { routingCases } from "../support/adapter-suite/mounting/routing.js";
import { listCases } from "../support/adapter-suite/operation/list.js";
import { bodyCases } from "../support/adapter-suite/request/body.js";
import { idempotencyKeyCases } from "../support/adapter-suite/request/idempotency-key.js";
import { pathFieldCases } from "../support/adapter-suite/request/path-fields.js";
import { createLambdaHarness, type LambdaFront, lambdaFronts } from "../support/lambda-harness.js";

/** A function is called only with complete bodies. */
const UNFINISHED = "does not arrive in time|aborted upload";

/** HTTP APIs decode the path: encoded slashes are lost. Malformed paths never reach the function. */
const LOST_BY_HTTP_APIS = "including slashes|malformed encoding|field values to authorize";

/** Without multi-value header fields, load balancers pass the last of repeated lines and values. */
const LOST_BY_BALANCERS = "repeated Idempotency-Key|status=pending&status=failed";

const { "a function URL": functionUrl, ...others } = lambdaFronts;

describe("the Lambda adapter behind a function URL", () => {
  declare(functionUrl, UNFINISHED, adapterCases);
});

/** Cases that an event can break: methods, paths, queries, header fields and bodies. */
const eventCases = [
  ...routingCases,
  ...basePathCases,
  ...pathFieldCases,
  ...listCases,
  ...idempotencyKeyCases,
  ...bodyCases,
];

describe.each([
  ["an HTTP API with payload format 2.0", LOST_BY_HTTP_APIS],
  ["an HTTP API with payload format 1.0", LOST_BY_HTTP_APIS],
  ["a REST API", UNFINISHED],
  ["a load balancer", LOST_BY_BALANCERS],
  ["a load balancer with multi-value header fields", UNFINISHED],
] as const)("the Lambda adapter behind %s", (name, lost) => {
  declare(others[name], `${UNFINISHED}|${lost}`, eventCases);
});

function declare(front: LambdaFront, lost: string, cases: typeof adapterCases): void {
  const harness = createLambdaHarness(createMemoryBackend, front);
  declareAdapterCases(
    harness,
    cases.filter(({ name }) => !new RegExp(lost).test(name)),
  );
}

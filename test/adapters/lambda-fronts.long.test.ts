import { createMemoryBackend } from "async-request-reply";
import { describe } from "vitest";
import { declareAdapterCases } from "../support/adapter-suite/declare-cases.js";
import { basePathCases } from "../support/adapter-suite/mounting/base-path.js";
import { routingCases } from "../support/adapter-suite/mounting/routing.js";
import { listCases } from "../support/adapter-suite/operation/list.js";
import { bodyCases } from "../support/adapter-suite/request/body.js";
import { idempotencyKeyCases } from "../support/adapter-suite/request/idempotency-key.js";
import { pathFieldCases } from "../support/adapter-suite/request/path-fields.js";
import { createLambdaHarness, isUnfinished, lambdaFronts } from "../support/lambda-harness.js";

/** HTTP APIs decode the path: encoded slashes are lost. Malformed paths never reach the function. */
const LOST_BY_HTTP_APIS = /including slashes|malformed encoding|field values to authorize/;

/** Without multi-value header fields, load balancers pass the last of repeated lines and values. */
const LOST_BY_BALANCERS = /repeated Idempotency-Key|status=pending&status=failed/;

const NONE_LOST = /^$/;

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
  ["a REST API", NONE_LOST],
  ["a load balancer", LOST_BY_BALANCERS],
  ["a load balancer with multi-value header fields", NONE_LOST],
] as const)("the Lambda adapter behind %s", (name, lost) => {
  declareAdapterCases(
    createLambdaHarness(createMemoryBackend, lambdaFronts[name]),
    eventCases.filter((each) => !isUnfinished(each) && !lost.test(each.name)),
  );
});

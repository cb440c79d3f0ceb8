import type { AdapterCase } from "./fixtures/adapter-case.js";
import { basePathCases } from "./mounting/base-path.js";
import { connectionCases } from "./mounting/connections.js";
import { fallthroughCases } from "./mounting/fallthrough.js";
import { routingCases } from "./mounting/routing.js";
import { serviceOptionCases } from "./mounting/service-options.js";
import { streamCases } from "./mounting/streams.js";
import { cancellationCases } from "./operation/cancellation.js";
import { endingCases } from "./operation/endings.js";
import { listCases } from "./operation/list.js";
import { outputCases } from "./operation/output.js";
import { statusCases } from "./operation/status.js";
import { streamedOperationCases } from "./operation/stream.js";
import { successorCases } from "./operation/successor.js";
import { waitingCases } from "./operation/waiting.js";
import { authorizationCases } from "./request/authorization.js";
import { bodyCases } from "./request/body.js";
import { contractCases } from "./request/contract.js";
import { idempotencyKeyCases } from "./request/idempotency-key.js";
import { negotiationCases } from "./request/negotiation.js";
import { pathFieldCases } from "./request/path-fields.js";
import { creationCases } from "./submit/creation.js";
import { deprecationCases } from "./submit/deprecation.js";
import { heldKeyCases } from "./submit/held-key.js";
import { recordingCases } from "./submit/recording.js";
import { waitingSubmissionCases } from "./submit/waiting.js";

/** Cases that are decided before a store is asked, or that rest on rules that the port suites check. */
export const requestCases: readonly AdapterCase[] = [
  ...routingCases,
  ...authorizationCases,
  ...negotiationCases,
  ...idempotencyKeyCases,
  ...bodyCases,
  ...contractCases,
  ...deprecationCases,
  ...basePathCases,
  ...serviceOptionCases,
  ...pathFieldCases,
  ...fallthroughCases,
  ...connectionCases,
  ...streamCases,
];

/** Cases whose replies depend on what a store answers. */
export const storeCases: readonly AdapterCase[] = [
  ...recordingCases,
  ...heldKeyCases,
  ...creationCases,
  ...statusCases,
  ...endingCases,
  ...waitingCases,
  ...waitingSubmissionCases,
  ...streamedOperationCases,
  ...outputCases,
  ...listCases,
  ...successorCases,
  ...cancellationCases,
];

/**
 * The HTTP contract as cases that every adapter must pass: `for (const c of adapterCases) it(c.name, () =>
 * c.run(harness))`. Skip a case, and report it by name, if the harness lacks one of its `needs`.
 */
export const adapterCases: readonly AdapterCase[] = [...requestCases, ...storeCases];

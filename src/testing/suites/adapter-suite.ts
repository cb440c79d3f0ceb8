import type { AdapterCase } from "./adapter/fixtures/adapter-case.js";
import { basePathCases } from "./adapter/mounting/base-path.js";
import { connectionCases } from "./adapter/mounting/connections.js";
import { fallthroughCases } from "./adapter/mounting/fallthrough.js";
import { routingCases } from "./adapter/mounting/routing.js";
import { serviceOptionCases } from "./adapter/mounting/service-options.js";
import { streamCases } from "./adapter/mounting/streams.js";
import { cancellationCases } from "./adapter/operation/cancellation.js";
import { endingCases } from "./adapter/operation/endings.js";
import { listCases } from "./adapter/operation/list.js";
import { statusCases } from "./adapter/operation/status.js";
import { streamedOperationCases } from "./adapter/operation/stream.js";
import { successorCases } from "./adapter/operation/successor.js";
import { waitingCases } from "./adapter/operation/waiting.js";
import { authorizationCases } from "./adapter/request/authorization.js";
import { bodyCases } from "./adapter/request/body.js";
import { contractCases } from "./adapter/request/contract.js";
import { idempotencyKeyCases } from "./adapter/request/idempotency-key.js";
import { negotiationCases } from "./adapter/request/negotiation.js";
import { pathFieldCases } from "./adapter/request/path-fields.js";
import { creationCases } from "./adapter/submit/creation.js";
import { deprecationCases } from "./adapter/submit/deprecation.js";
import { heldKeyCases } from "./adapter/submit/held-key.js";
import { recordingCases } from "./adapter/submit/recording.js";
import { waitingSubmissionCases } from "./adapter/submit/waiting.js";

export type {
  AdapterCapabilities,
  AdapterCase,
  AdapterHarness,
  Mounted,
  Upload,
  WireConnection,
  WireRequest,
  WireResponse,
} from "./adapter/fixtures/adapter-case.js";

/**
 * The HTTP contract as cases that every adapter must pass: `for (const c of adapterCases) it(c.name, () =>
 * c.run(harness))`. Skip a case, and report it by name, if the harness lacks one of its `needs`.
 */
export const adapterCases: readonly AdapterCase[] = [
  ...routingCases,
  ...authorizationCases,
  ...negotiationCases,
  ...idempotencyKeyCases,
  ...bodyCases,
  ...contractCases,
  ...recordingCases,
  ...heldKeyCases,
  ...creationCases,
  ...statusCases,
  ...endingCases,
  ...waitingCases,
  ...waitingSubmissionCases,
  ...streamedOperationCases,
  ...listCases,
  ...successorCases,
  ...cancellationCases,
  ...deprecationCases,
  ...basePathCases,
  ...serviceOptionCases,
  ...pathFieldCases,
  ...fallthroughCases,
  ...connectionCases,
  ...streamCases,
];

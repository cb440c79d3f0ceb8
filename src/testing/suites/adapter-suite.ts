import type { AdapterCase } from "./adapter/adapter-case.js";
import { authorizationCases } from "./adapter/authorization.js";
import { basePathCases } from "./adapter/base-path.js";
import { bodyCases } from "./adapter/body.js";
import { cancellationCases } from "./adapter/cancellation.js";
import { connectionCases } from "./adapter/connections.js";
import { contractCases } from "./adapter/contract.js";
import { creationCases } from "./adapter/creation.js";
import { deprecationCases } from "./adapter/deprecation.js";
import { endingCases } from "./adapter/endings.js";
import { fallthroughCases } from "./adapter/fallthrough.js";
import { heldKeyCases } from "./adapter/held-key.js";
import { idempotencyKeyCases } from "./adapter/idempotency-key.js";
import { listCases } from "./adapter/list.js";
import { negotiationCases } from "./adapter/negotiation.js";
import { pathFieldCases } from "./adapter/path-fields.js";
import { recordingCases } from "./adapter/recording.js";
import { routingCases } from "./adapter/routing.js";
import { serviceOptionCases } from "./adapter/service-options.js";
import { statusCases } from "./adapter/status.js";
import { streamCases } from "./adapter/streams.js";
import { successorCases } from "./adapter/successor.js";

export type {
  AdapterCapabilities,
  AdapterCase,
  AdapterHarness,
  Mounted,
  Upload,
  WireConnection,
  WireRequest,
  WireResponse,
} from "./adapter/adapter-case.js";

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

import type { Definitions } from "../contract/definition/definitions.js";
import type { Format } from "../formats/format.js";
import type { Hub } from "../operations/following/hub.js";
import type { OutputHub } from "../operations/output/output-hub.js";
import type { Backend } from "../ports/backend.js";
import type { WorkCounter } from "../ports/work-counter.js";
import type { Shared } from "../protocol/shared.js";
import type { ServiceSettings } from "./settings.js";

/** Dependencies of everything that a service does. */
export interface ServiceContext extends Shared {
  readonly definitions: Definitions;
  readonly backend: Backend;
  /** The options of the service, checked and with defaults. */
  readonly settings: ServiceSettings;
  /** Absent if the back end keeps no minutes. */
  readonly minutes: WorkCounter | undefined;
  /** Formats of bodies and replies. Clients without a preference get the first one. */
  readonly formats: readonly Format[];
  /** Tells waiting requests and calls when their operations change. */
  readonly hub: Hub;
  /** Tells them when outputs grow. Absent if the back end keeps none. */
  readonly outputs?: OutputHub;
}

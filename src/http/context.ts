import type { OperationDefinition } from "../core/definition.js";
import type { RetryAfterEstimate } from "../core/retry-after.js";
import type { Format } from "../formats/format.js";
import type { Backend } from "../ports/backend.js";
import type { Observer } from "../ports/observer.js";
import type { Runtime } from "../ports/runtime.js";
import type { Announcer } from "../steps/announcer.js";
import type { HttpRequest, HttpResponse, RequestContext } from "./message.js";
import type { ServiceSettings } from "./settings.js";

/** The context of every handler, and what adapters mount. Made by {@link createService}. */
export interface Service<
  Definitions extends readonly OperationDefinition[] = readonly OperationDefinition[],
  Tx = unknown,
> {
  readonly operations: Definitions;
  readonly backend: Backend<Tx>;
  readonly settings: ServiceSettings;
  readonly formats: readonly Format[];
  readonly runtime: Runtime;
  readonly observe: Observer;
  readonly announcer: Announcer;
  readonly estimate: RetryAfterEstimate;
  /** Answers any request: the definitions' paths and the status endpoint. Never rejects. */
  handle(request: HttpRequest, context?: RequestContext): Promise<HttpResponse>;
}

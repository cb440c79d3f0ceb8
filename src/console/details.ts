import { present } from "../contract/options.js";
import type { OperationDetails } from "../operator/details.js";
import type { Operator } from "../operator/operator.js";
import { readActions } from "./actions.js";
import type { Call, ConsoleContext } from "./context.js";
import { find } from "./data.js";
import { summaryOf } from "./summary.js";
import { timelineOf } from "./timeline.js";
import { traceUrlOf } from "./trace-url.js";
import type { ChainLink, Details } from "./wire.js";

/** Maximum number of deliveries that are shown: the first one and its redrives. */
const MAX_DELIVERIES = 10;
/** Maximum number of operations before and after one that are shown of its redrives. */
const MAX_CHAIN = 10;

/** Reads an operation, what happened to it, why it does not run, and its deliveries. */
export async function readDetails(
  { operator, traceUrl }: ConsoleContext,
  { operationId }: Call,
): Promise<Details> {
  const found = await find(operator, operationId);
  const { hasOutput = false, lastCheckpointAt, status, meta } = found;
  const [why, chain, deliveries, actions = []] = await Promise.all([
    status === "pending" ? operator.explain(operationId) : undefined,
    chainOf(operator, found),
    deliveriesOf(operator, found),
    readActions({ operator }, { operationId }),
  ]);
  return {
    ...historyOf(found),
    hasOutput,
    ...present({ lastCheckpointAt, why, traceUrl: traceUrlOf(traceUrl, meta) }),
    chain,
    deliveries,
    actions,
  };
}

function historyOf(operation: OperationDetails): Pick<Details, "operation" | "timeline"> {
  return { operation: summaryOf(operation), timeline: timelineOf(operation) };
}

/** Reads the operations that this one runs again and that run it again, oldest first. Empty without any. */
async function chainOf(operator: Operator, found: OperationDetails): Promise<readonly ChainLink[]> {
  const before = await follow(operator, found, ({ retryOf }) => retryOf);
  const after = await follow(operator, found, ({ retriedBy }) => retriedBy);
  return before.length + after.length === 0 ? [] : [...before.reverse(), found, ...after].map(toLink);
}

async function follow(
  operator: Operator,
  from: OperationDetails,
  next: (operation: OperationDetails) => string | undefined,
): Promise<OperationDetails[]> {
  const found: OperationDetails[] = [];
  for (let id = next(from); id !== undefined && found.length < MAX_CHAIN; ) {
    const operation = await operator.get(id);
    if (operation !== undefined) found.push(operation);
    id = operation && next(operation);
  }
  return found;
}

function toLink({ operationId, status, createdAt }: OperationDetails): ChainLink {
  return { operationId, status, createdAt };
}

async function deliveriesOf(
  operator: Operator,
  { followUpId }: OperationDetails,
): Promise<Details["deliveries"]> {
  const deliveries: Details["deliveries"][number][] = [];
  for (let id = followUpId; id !== undefined && deliveries.length < MAX_DELIVERIES; ) {
    const delivery = await operator.get(id);
    if (delivery !== undefined) deliveries.push(historyOf(delivery));
    id = delivery?.retriedBy;
  }
  return deliveries;
}

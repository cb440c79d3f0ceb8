import { notFound } from "../../http/message/refusals.js";
import type { Operator } from "../../operator/operator.js";
import type { OperationDetails, OperationSummary } from "../../operator/views.js";
import type { Call, ConsoleContext } from "../context.js";
import type { Details, Payload } from "../wire.js";
import { timelineOf } from "./timeline.js";

/** Maximum number of deliveries that are shown: the first one and its redrives. */
const MAX_DELIVERIES = 10;

/** Reads an operation, what happened to it, and its deliveries. */
export async function readDetails({ operator }: ConsoleContext, { id }: Call): Promise<Details> {
  const found = await find(operator, id);
  return {
    operation: toSummary(found),
    timeline: timelineOf(found),
    deliveries: await readDeliveries(operator, found.followUpId),
  };
}

/** Reads the payloads of an operation. */
export async function readPayload({ operator }: ConsoleContext, { id }: Call): Promise<Payload> {
  const { input, result, progress, resource, meta } = await find(operator, id);
  return { input, result, progress, resource, meta };
}

async function readDeliveries(
  operator: Operator,
  firstId: string | undefined,
): Promise<Details["deliveries"]> {
  const deliveries: OperationDetails[] = [];
  for (let id = firstId; id !== undefined && deliveries.length < MAX_DELIVERIES; ) {
    const delivery = await operator.get(id);
    if (delivery !== undefined) deliveries.push(delivery);
    id = delivery?.retriedBy;
  }
  return deliveries.map((delivery) => ({
    operation: toSummary(delivery),
    timeline: timelineOf(delivery),
  }));
}

async function find(operator: Operator, id: string): Promise<OperationDetails> {
  const found = await operator.get(id);
  if (found === undefined) throw notFound();
  return found;
}

/** Leaves out the payloads. */
function toSummary({
  input: _input,
  result: _result,
  progress: _progress,
  resource: _resource,
  meta: _meta,
  attemptErrors: _errors,
  followUpId: _followUpId,
  ...summary
}: OperationDetails): OperationSummary {
  return summary;
}

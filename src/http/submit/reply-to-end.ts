import type { OperationDefinition } from "../../contract/definition/definition.js";
import type { Format } from "../../formats/format.js";
import type { Snapshot } from "../../operations/following/hub.js";
import type { Accepted } from "../../operations/submission/accepted.js";
import type { ServiceContext } from "../context.js";
import type { HttpResponse } from "../message/message.js";
import { monitorPath, presentSnapshot, retryAfter } from "../operation/status-monitor.js";
import { untilEnd, type Wait, withPreference } from "../operation/wait.js";

/** A submission that was accepted, and its reply if the work does not end in time. */
interface AcceptedSubmission {
  readonly definition: OperationDefinition;
  readonly format: Format;
  readonly accepted: Accepted;
  readonly reply: HttpResponse;
}

/**
 * Waits for the end of the operation, and replies with a 200. If the time is over before, or if the store fails
 * meanwhile, the reply is the 202.
 */
export async function replyToEnd(
  service: ServiceContext,
  wait: Wait,
  { definition, format, accepted, reply }: AcceptedSubmission,
): Promise<HttpResponse> {
  const id = accepted.operationId;
  try {
    wait.subscription.refresh();
    const ended = await untilEnd(wait.subscription);
    if (ended !== undefined) return withPreference(await endReply(service, ended, format, accepted), wait);
    const later = {
      ...reply.headers,
      "retry-after": retryAfter(service, { id, definition: definition.name }),
    };
    return withPreference({ ...reply, headers: later }, wait);
  } finally {
    wait.subscription.close();
  }
}

/** Creates the 200 for an operation that has ended. It says where the operation can be read (RFC 9110 §8.7). */
async function endReply(
  service: ServiceContext,
  ended: Snapshot,
  format: Format,
  { replayed }: Accepted,
): Promise<HttpResponse> {
  const full = await presentSnapshot(service, ended, format);
  // The tag belongs to the status endpoint.
  const { etag: _, ...headers } = full.headers;
  return {
    ...full,
    headers: {
      ...headers,
      "cache-control": "no-store",
      "content-location": monitorPath(service, ended.operation.id),
      ...(replayed ? { "idempotent-replayed": "true" } : {}),
    },
  };
}

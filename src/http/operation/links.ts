import type { Operation } from "../../contract/operation.js";
import type { ServiceContext } from "../context.js";
import type { Fields } from "../message/reply.js";

/** Returns the path of an operation at the status endpoint. */
export function monitorPath({ settings }: Pick<ServiceContext, "settings">, id: string): string {
  return `${settings.basePath}${settings.statusPath}/${id}`;
}

/**
 * Links a failed operation to the one that runs it again, so clients of the failed operation can find the new one.
 * The body cannot contain this link, because a terminal operation and its `ETag` never change.
 *
 * `successor-version` is registered with IANA (RFC 5829 §3.6). It fits, because the new operation replaces the failed
 * one, and an operation has at most one successor.
 */
export function addSuccessorLink(
  fields: Fields,
  service: Pick<ServiceContext, "settings">,
  operation: Pick<Operation, "retriedBy"> | undefined,
): void {
  const id = operation?.retriedBy;
  if (id !== undefined) fields.link = `<${monitorPath(service, id)}>; rel="successor-version"`;
}

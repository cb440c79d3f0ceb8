import type { Operation } from "../../contract/operation.js";
import type { Service } from "../context.js";
import type { Fields } from "../message/reply.js";
import { monitorPath } from "./monitor-path.js";

/**
 * Links a failed operation to the one that runs it again, so that a client that follows the failed one finds the other. The
 * body cannot say it, because a terminal operation and its `ETag` never change.
 *
 * `successor-version` is registered with IANA (RFC 5829 §3.6). It fits because the two are a history in which each has at most
 * one successor, and the successor replaces the failed one.
 */
export function addSuccessorLink(
  fields: Fields,
  service: Pick<Service, "settings">,
  operation: Pick<Operation, "retriedBy"> | undefined,
): void {
  const id = operation?.retriedBy;
  if (id !== undefined) fields.link = `<${monitorPath(service, id)}>; rel="successor-version"`;
}

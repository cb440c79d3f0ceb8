import type { ServiceEvent } from "../../ports/observer.js";
import type { HttpRequest } from "./message.js";
import type { ProblemReply } from "./problems.js";

type RefusedEvent = Extract<ServiceEvent, { readonly event: "request.refused" }>;

const METHODS: readonly string[] = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "CONNECT",
];

/**
 * Creates the event of a refused request.
 *
 * @param route pattern of the path. Never the path itself, which may hold data of the client.
 */
export function refusedEvent(
  { method }: HttpRequest,
  route: string | undefined,
  { status, code }: ProblemReply,
  error: unknown,
): RefusedEvent {
  // Clients can send any word as a method.
  const known = METHODS.includes(method) ? method : "_OTHER";
  const where = route === undefined ? { method: known } : { method: known, route };
  return { event: "request.refused", ...where, status, code, error };
}

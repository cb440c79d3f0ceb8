import { AsyncReplyError } from "../../contract/errors.js";
import type { ServiceContext } from "../context.js";

/** Settings of the services that have reported a request. */
const reported = /* @__PURE__ */ new WeakSet<ServiceContext["settings"]>();

/** Reports the first request to a service without `authorize`. Each of them would say the same. */
export function reportNoAuthorize({ settings, observe }: ServiceContext): void {
  if (reported.has(settings)) return;
  reported.add(settings);
  observe({ event: "service.no-authorize" });
}

/**
 * Returns the error for every request to a service without `authorize`. The reply is a 500, and not a 503: waiting does
 * not help, and proxies and clients repeat what was refused with a 503. It does not say what is missing, because that is
 * for operators.
 */
export function notConfigured(): AsyncReplyError {
  const detail =
    "This service accepts no HTTP requests until its operator has configured it. Repeating the request does not help.";
  return new AsyncReplyError("NOT_CONFIGURED", detail);
}

import { unavailable } from "../http/access/admit-request.js";
import type { Authorize, Principal } from "../ports/authorize.js";

/** Name of the header field with the caller. Only Workers reach objects, and they overwrite what a client sends. */
export const FORWARDED = "async-request-reply-principal";

/** Returns the value of the field. Members may be added: older objects ignore those that they do not know. */
export function toForwarded({ id, tenant }: Required<Principal>): string {
  return encodeURIComponent(JSON.stringify({ id, tenant }));
}

/** Creates the `authorize` of a service in an object, whose name is the tenant. It trusts the Worker that forwarded the request. */
export function fromForwarded(name: string | undefined): Authorize {
  return ({ header }) => {
    const value = header(FORWARDED);
    if (value === undefined)
      throw unavailable("The request did not come from routeToTenant(), which authorizes it in the Worker.");
    const { id, tenant } = JSON.parse(decodeURIComponent(value)) as Required<Principal>;
    if (name === undefined || name === tenant) return { id, tenant };
    throw unavailable("The request is for the object of another tenant.");
  };
}

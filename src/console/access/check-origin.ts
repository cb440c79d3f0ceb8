import { AsyncReplyError, forbidden } from "../../contract/errors.js";
import { header } from "../../http/message/headers.js";
import type { HttpRequest } from "../../http/message/message.js";

/**
 * Checks that a request for a change comes from the page of the console, because browsers add credentials to requests
 * of other sites too. Browsers send `Sec-Fetch-Site` to HTTPS and localhost only. Elsewhere, `Origin` has to match
 * `Host`. A form can send neither JSON nor these fields.
 *
 * Throws `FORBIDDEN`, `UNSUPPORTED_MEDIA_TYPE`.
 */
export function checkOrigin({ headers }: HttpRequest): void {
  const site = header(headers, "sec-fetch-site");
  const isOwn =
    site === undefined
      ? isHost(header(headers, "origin"), header(headers, "host"))
      : site.trim() === "same-origin";
  if (!isOwn)
    throw forbidden("Only the page of the console can change operations. In a script, use createOperator().");
  const [mediaType = ""] = (header(headers, "content-type") ?? "").split(";");
  if (mediaType.trim().toLowerCase() !== "application/json")
    throw new AsyncReplyError("UNSUPPORTED_MEDIA_TYPE", "Send the body as application/json.");
}

function isHost(origin: string | undefined, host: string | undefined): boolean {
  if (origin === undefined || host === undefined) return false;
  return origin === `https://${host}` || origin === `http://${host}`;
}

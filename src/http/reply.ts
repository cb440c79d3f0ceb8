import { utf8Length } from "../core/json-text.js";
import type { Format, Representation } from "../formats/format.js";
import { jsonFormat } from "../formats/json.js";
import type { HttpResponse } from "./message.js";
import type { ProblemReply } from "./problems.js";

const SNIFFING = { "x-content-type-options": "nosniff" } as const;

/** What a reply shows, and how. */
export interface Shown {
  readonly status: number;
  readonly kind: Representation;
  /** The name of the definition, for formats that name their root after it. */
  readonly name: string;
  readonly value: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** A reply with a representation in a negotiated format (RFC 9110 §12.5.5: hence `Vary`). */
export function reply(format: Format, { status, kind, name, value, headers }: Shown): HttpResponse {
  const body = format.serialize(value, { kind, name });
  return {
    status,
    headers: {
      "content-type": format.mediaTypes[0],
      "content-length": String(utf8Length(body)),
      vary: "accept",
      ...SNIFFING,
      ...headers,
    },
    body,
  };
}

/** A problem reply (RFC 9457). It is sent whatever the client accepts: §3 allows it, and silence helps nobody. */
export function problemReply({ status, body, headers }: ProblemReply): HttpResponse {
  const text = jsonFormat.serialize(body, { kind: "problem", name: "problem" });
  return {
    status,
    headers: {
      "content-type": jsonFormat.problemMediaType,
      "content-length": String(utf8Length(text)),
      "cache-control": "no-store",
      ...SNIFFING,
      ...headers,
    },
    body: text,
  };
}

/** A reply without content. */
export function emptyReply(status: number, headers: Readonly<Record<string, string>>): HttpResponse {
  return { status, headers };
}

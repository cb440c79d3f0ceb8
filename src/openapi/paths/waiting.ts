import type { Components } from "../components.js";
import type { DescribedService } from "../described-service.js";
import type { OpenApiParameter } from "../document.js";
import { headers, type ResponseHeaders } from "./headers.js";

/** Returns whether requests of the service can wait for the end of an operation. */
export function canWait({ settings }: DescribedService): boolean {
  return settings.maxWaitMs > 0;
}

/** Describes the `Prefer` field of a request that can wait. */
export function preferWait({ settings }: DescribedService, until: string): OpenApiParameter {
  const seconds = Math.ceil(settings.maxWaitMs / 1_000);
  return {
    name: "Prefer",
    in: "header",
    description:
      `\`wait=N\` (RFC 7240) delays the reply for up to N seconds, at most ${seconds}, until ${until}. The server may ` +
      "ignore it. It ignores other preferences.",
    required: false,
    schema: { type: "string", examples: [`wait=${seconds}`] },
  };
}

/** Describes the fields of a reply that depends on `Accept`, and on `Prefer` if the request can wait. */
export function waitFields(components: Components, waits: boolean): ResponseHeaders {
  if (!waits) return headers(components, { Vary: "AcceptVaries" });
  return headers(components, { Vary: "AcceptOrPreferVaries", "Preference-Applied": "PreferenceApplied" });
}

import type { Deprecation } from "../../contract/definition/deprecation.js";
import type { Fields } from "./reply.js";

/** Returns the header fields that announce a deprecation: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`. */
export function deprecationFields({ since, sunset, link }: Deprecation): Readonly<Fields> {
  return {
    deprecation: `@${Math.floor(since.getTime() / 1_000)}`,
    ...(sunset === undefined ? {} : { sunset: sunset.toUTCString() }),
    ...(link === undefined ? {} : { link: `<${link}>; rel="deprecation"; type="text/html"` }),
  };
}

import type { Deprecation } from "../../contract/deprecation.js";
import type { Fields } from "./reply.js";

/** What every reply of a deprecated resource says of it (RFC 9745, RFC 8594). */
export function deprecationFields({ since, sunset, link }: Deprecation): Readonly<Fields> {
  return {
    deprecation: `@${Math.floor(since.getTime() / 1_000)}`,
    ...(sunset === undefined ? {} : { sunset: sunset.toUTCString() }),
    ...(link === undefined ? {} : { link: `<${link}>; rel="deprecation"; type="text/html"` }),
  };
}

import type { HttpRequest } from "./message.js";

/** Returns the path of the request target without its query. */
export function pathOf({ path }: Pick<HttpRequest, "path">): string {
  const query = path.indexOf("?");
  return query === -1 ? path : path.slice(0, query);
}

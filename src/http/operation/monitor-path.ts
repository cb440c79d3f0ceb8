import type { Service } from "../context.js";

/** Returns the path where an operation is read. */
export function monitorPath({ settings }: Pick<Service, "settings">, id: string): string {
  return `${settings.basePath}${settings.statusPath}/${id}`;
}

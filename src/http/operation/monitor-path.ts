import type { ServiceContext } from "../context.js";

/** Returns the path of an operation at the status endpoint. */
export function monitorPath({ settings }: Pick<ServiceContext, "settings">, id: string): string {
  return `${settings.basePath}${settings.statusPath}/${id}`;
}

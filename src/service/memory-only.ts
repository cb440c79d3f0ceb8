import { IN_MEMORY } from "../backends/memory/backend.js";
import type { Backend } from "../ports/backend.js";
import type { ServiceEvent } from "../ports/observer.js";

type MemoryOnly = Extract<ServiceEvent, { readonly event: "service.memory-only" }>;

/**
 * Returns the event of a service whose operations are lost when the process ends, or undefined. In production, this is
 * reported even if the memory back end was passed explicitly.
 */
export function memoryOnlyEvent(
  backend: Pick<Backend, "operations">,
  isGiven: boolean,
): MemoryOnly | undefined {
  const inProduction = isProduction();
  const isLost = IN_MEMORY in backend.operations && (inProduction || !isGiven);
  return isLost ? { event: "service.memory-only", inProduction } : undefined;
}

function isProduction(): boolean {
  const platform = globalThis as { Deno?: unknown; process?: { env?: { NODE_ENV?: string } } };
  // Deno would ask for a permission, which a warning is not worth.
  return platform.Deno === undefined && platform.process?.env?.NODE_ENV === "production";
}

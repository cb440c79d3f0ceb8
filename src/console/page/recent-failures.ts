import type { Failures } from "../../operator/failures.js";
import type { Sent } from "../wire.js";
import { readFailures } from "./api.js";
import type { Page } from "./view.js";

type Groups = Sent<Failures>;

/** How long a refresh in the background shows what was read before, because grouping reads many operations. */
const FRESH_MS = 60_000;

let last: { readonly at: number; readonly counts: string; readonly failures: Groups } | undefined;

/**
 * Reads the open failures of all definitions in groups. In the background, only if the number of failures has changed, and not more
 * than once a minute.
 */
export async function readRecentFailures({ overview, inBackground }: Page): Promise<Groups> {
  const counts = JSON.stringify(overview.stats.map(({ failed }) => failed));
  const isFresh = last !== undefined && (last.counts === counts || Date.now() - last.at < FRESH_MS);
  if (inBackground && isFresh && last !== undefined) return last.failures;
  const failures = await readFailures(new URLSearchParams({ open: "true" }));
  last = { at: Date.now(), counts, failures };
  return failures;
}

/** Returns the groups that were read last. */
export function knownFailures(): Groups["groups"] {
  return last?.failures.groups ?? [];
}

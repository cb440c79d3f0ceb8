import type { History } from "./history.js";
import type { Line } from "./ledger.js";

/** A time in which the same builds had processes. */
interface Part {
  readonly builds: readonly string[];
  readonly from: number;
}

/** Returns the builds whose processes recorded or began nothing while they ran, alone or beside those of another build. */
export function checkSteps({ lines, end }: History): readonly string[] {
  const parts = partsOf(lines);
  return parts.flatMap(({ builds, from }, index) => {
    const to = parts[index + 1]?.from ?? end;
    const during = lines.filter(({ at }) => at >= from && at < to);
    return idleIn(during, builds).map(
      (idle) => `${idle} nothing while ${builds.join(" and ")} ran, from ${Math.round(from)}`,
    );
  });
}

/** Returns which builds have recorded nothing in these lines, and which have begun nothing. */
export function idleIn(lines: readonly Line[], builds: readonly string[]): readonly string[] {
  return builds.flatMap((build) =>
    (["recorded", "begun"] as const)
      .filter((what) => !lines.some((line) => line.what === what && buildOf(line) === build))
      .map((what) => `${build} has ${what}`),
  );
}

function partsOf(lines: readonly Line[]): readonly Part[] {
  const steps = lines.flatMap(({ at, ...line }) =>
    line.what === "step" ? [{ builds: [...new Set(line.builds)].sort(), from: at }] : [],
  );
  return steps.filter(({ builds }, index) => builds.join() !== steps[index - 1]?.builds.join());
}

/** The name of a process is that of its build, and a number. */
function buildOf({ process }: Line): string {
  return process.replace(/\d+$/, "");
}

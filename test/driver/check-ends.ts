import type { History } from "./history.js";

/** The clocks of the store and of the driver differ a little. Milliseconds. */
const TOLERANCE_MS = 50;

/** Returns the attempts that were claimed after their operation had ended. */
export function checkEnds({ lines, operations }: History): readonly string[] {
  return lines.flatMap((line) => {
    if (line.what !== "begun") return [];
    const { operationId, leasedAt = 0, process } = line;
    const { settledAt = Number.POSITIVE_INFINITY, state } = operations.get(operationId) ?? {};
    if (leasedAt <= settledAt + TOLERANCE_MS) return [];
    return [
      `${operationId} began in ${process} ${Math.round(leasedAt - settledAt)} ms after it was ${state}`,
    ];
  });
}

import type { KeptWork, MinutesTable, StaleBefore, WorkKey } from "../../engine/minutes.js";
import { HOUR_MS } from "../../ports/minutes-store.js";
import type { Clock } from "../../ports/runtime.js";

/** A row. Its work is JSON, because objects with a member for each bucket take ten times the memory. */
interface Line {
  readonly key: WorkKey;
  readonly writtenAt: number;
  readonly work: string;
}

/** Creates the table of minutes. */
export function createMinutesTable(clock: Clock): MinutesTable {
  const lines = new Map<string, Line>();
  const filtered = (test: (line: Line) => boolean, limit?: number): readonly KeptWork[] => {
    const found: KeptWork[] = [];
    for (const line of lines.values()) {
      if (found.length === limit) break;
      if (test(line)) found.push(workIn(line));
    }
    return found;
  };
  return {
    now: () => clock.now(),
    save: ({ definition, start, spanMs, process, ...work }, writtenAt) => {
      const key = { definition, start, spanMs, process };
      lines.set(nameOf(key), { key, writtenAt, work: JSON.stringify(work) });
    },
    find: (key) => {
      const line = lines.get(nameOf(key));
      return line && workIn(line);
    },
    remove: (key) => void lines.delete(nameOf(key)),
    stale: (before, limit) => filtered((line) => isStale(line, before), limit),
    definitions: () => [...new Set([...lines.values()].map(({ key }) => key.definition))],
    between: (definition, from, to) =>
      filtered(({ key }) => key.definition === definition && key.start >= from && key.start < to),
  };
}

function nameOf({ definition, start, spanMs, process }: WorkKey): string {
  return `${spanMs} ${start} ${process} ${definition}`;
}

function isStale({ key, writtenAt }: Line, before: StaleBefore): boolean {
  if (key.process !== "") return writtenAt <= before.writtenAt;
  return key.start < (key.spanMs === HOUR_MS ? before.hour : before.minute);
}

function workIn({ key, work }: Line): KeptWork {
  return { ...(JSON.parse(work) as Omit<KeptWork, keyof WorkKey>), ...key };
}

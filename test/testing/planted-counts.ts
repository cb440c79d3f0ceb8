import { type Clock, createMemoryBackend } from "async-request-reply";
import type { MinuteRow, MinutesStore } from "async-request-reply/ports";
import { type Planted, type Play, playOn } from "./pinned-seeds.js";

/** A store of minutes with a mistake. */
interface PlantedMinutes extends Planted {
  readonly methods: (store: MinutesStore, clock: Clock) => Partial<MinutesStore>;
}

const FOLD_AFTER_MS = 120_000;
const violation = /I29: \d+ operations of .* are counted as/;

/** Stores of minutes that each count something twice. */
export const plantedCounts: Readonly<Record<string, PlantedMinutes>> = {
  "a lost answer counts twice": {
    violation,
    methods: (store) => {
      const written = new Set<string>();
      const again = (row: MinuteRow): MinuteRow => {
        const text = JSON.stringify(row);
        if (written.has(text)) return { ...row, process: `${row.process} again` };
        written.add(text);
        return row;
      };
      return { write: (rows) => store.write(rows.map(again)) };
    },
  },

  "a fold counts a row twice": {
    violation,
    methods: (store, clock) => {
      const last = new Map<string, { readonly row: MinuteRow; readonly at: number }>();
      return {
        write: (rows) => {
          for (const row of rows)
            last.set(`${row.process} ${row.minute} ${row.definition}`, { row, at: clock.now() });
          return store.write(rows);
        },
        fold: async (request) => {
          const count = await store.fold(request);
          const folded = [...last].filter(([, { at }]) => at <= clock.now() - FOLD_AFTER_MS);
          for (const [name] of folded) last.delete(name);
          await store.write(folded.map(([, { row }]) => row));
          return count;
        },
      };
    },
  },
};

/** Returns how to play histories that count on the memory back end with a mistake. */
export function playCounts({ methods }: PlantedMinutes): Play {
  const play = playOn((clock) => {
    const backend = createMemoryBackend({ clock });
    return { ...backend, minutes: { ...backend.minutes, ...methods(backend.minutes, clock) } };
  });
  return (options) => play({ ...options, counts: true });
}

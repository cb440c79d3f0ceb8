import { setTimeout as sleep } from "node:timers/promises";
import { nowMs } from "../../queues/inside/clock.mjs";

/** About as long as a token of a model with the time in front of it. */
const TEXT = " and the quick";

/** The methods of the process that writes. `outputs` are the running operations, each with `write` and `end`. */
export function createWorker(openWorker) {
  let worker;
  const outputs = [];
  let onBegin = () => {};

  return {
    open: async (options) => {
      worker = await openWorker({
        ...options,
        onBegin: (output) => {
          outputs.push(output);
          onBegin();
        },
      });
    },
    begun: ({ operations }) =>
      new Promise((resolve) => {
        onBegin = () => {
          if (outputs.length >= operations) resolve();
        };
        onBegin();
        worker.begin?.(operations);
      }),
    /**
     * Lets each operation write at random times. A chunk begins with the time at which it should be written, so a process that
     * falls behind shows. Returns how many chunks were written, and how late the last ones were.
     */
    write: async ({ perSecond, ms }) => {
      const startedAt = nowMs();
      const gap = 1_000 / perSecond;
      let written = 0;
      let lateMs = 0;
      const one = async ({ write }) => {
        for (let at = startedAt + gap * Math.random(); at < startedAt + ms; at += gap) {
          if (at > nowMs()) await sleep(at - nowMs());
          lateMs = Math.max(lateMs, nowMs() - at);
          written += 1;
          await write(`${at.toFixed(2)}${TEXT}`);
        }
      };
      await Promise.all(outputs.map(one));
      return { written, lateMs };
    },
    end: async () => {
      for (const { end } of outputs.splice(0)) end();
    },
    close: () => worker.close(),
  };
}

import { setTimeout as sleep } from "node:timers/promises";
import { runLoops } from "../../postgres/inside/load.mjs";
import { nowMs } from "./clock.mjs";

/** The methods of the process that accepts orders. */
export function createApi(openApi) {
  let api;

  async function acceptOne() {
    const calledAt = nowMs();
    const id = await api.accept();
    return { id, calledAt, acceptedAt: nowMs() };
  }

  return {
    open: async (options) => {
      api = await openApi(options);
    },
    reset: () => api.reset(),
    completed: () => api.completed(),
    /** Accepts from concurrent loops. Returns the number of orders. */
    load: async ({ clients, seconds }) => {
      const startedAt = nowMs();
      const { length } = await runLoops(clients, seconds, api.accept);
      return { startedAt, count: length };
    },
    /** Accepts at random times. Returns when each order was called and accepted. */
    trickle: async ({ perSecond, seconds }) => {
      const accepting = [];
      for (let left = Math.round(perSecond * seconds); left > 0; left--) {
        await sleep((1_000 / perSecond) * 2 * Math.random());
        accepting.push(acceptOne());
      }
      return Promise.all(accepting);
    },
    close: () => api.close(),
  };
}

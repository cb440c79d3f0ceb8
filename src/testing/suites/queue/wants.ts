import type { QueueCheck } from "./fixtures.js";

/** Cases about the definitions that listeners want. */
export const wantChecks: readonly QueueCheck[] = [
  {
    rule: "want.first",
    name: "lets a listener hear nothing before it wants a definition",
    check: async (stage) => {
      const silent = stage.listen([]);
      await stage.isSilent(silent, await stage.connected("orders"), "orders");
      silent.want("reports");
      await stage.ring("reports", silent);
    },
  },
  {
    rule: "want.several",
    name: "lets a listener hear rings of each definition that it wants",
    check: async (stage) => {
      const listener = stage.listen(["orders", "reports", "letters"]);
      for (const name of ["letters", "orders", "reports"]) await stage.ring(name, listener);
    },
  },
  {
    rule: "want.others",
    name: "spares a listener rings of definitions that it does not want",
    check: async (stage) => {
      const listener = await stage.connected("reports", "letters");
      await stage.isSpared(listener, await stage.connected("orders"), "orders");
    },
  },
  {
    rule: "want.changed",
    name: "follows the definitions that a listener wants",
    check: async (stage) => {
      const listener = await stage.connected("orders");
      listener.want("reports");
      await stage.ring("reports", listener);
      await stage.isSpared(listener, await stage.connected("orders"), "orders");
      listener.want("reports", "letters");
      await stage.ring("letters", listener);
      await stage.ring("reports", listener);
    },
  },
  {
    rule: "want.none",
    name: "lets a listener hear nothing while it wants nothing",
    check: async (stage) => {
      const listener = await stage.connected("orders");
      listener.want();
      await stage.isSilent(listener, await stage.connected("orders"), "orders");
    },
  },
  {
    rule: "want.again",
    name: "lets a listener hear rings of a definition that it wants again",
    check: async (stage) => {
      const listener = await stage.connected("orders");
      for (let count = 0; count < 5; count += 1) {
        listener.want();
        listener.want("orders");
        await stage.ring("orders", listener);
      }
    },
  },
];

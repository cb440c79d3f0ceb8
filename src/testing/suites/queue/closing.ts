import type { QueueCheck } from "./fixtures.js";

/** Cases about closing. */
export const closingChecks: readonly QueueCheck[] = [
  {
    rule: "close.listening",
    name: "lets a listener hear nothing after it was closed, also twice, and lets others go on",
    check: async (stage) => {
      const other = await stage.connected("orders");
      const listener = stage.listen(["orders", "reports"]);
      await stage.ring("reports", listener);
      await stage.endsInTime(listener.close(), "closing a listener");
      await stage.isSilent(listener, other, "orders");
      await stage.endsInTime(listener.close(), "closing a listener again");
      await stage.isSilent(listener, other, "orders");
    },
  },
  {
    rule: "close.unused",
    name: "closes a listener that wanted nothing",
    check: async (stage) => stage.endsInTime(stage.listen([]).close(), "closing a listener"),
  },
  {
    rule: "close.want",
    name: "lets a listener want nothing after it was closed",
    check: async (stage) => {
      const listener = await stage.connected("orders");
      await listener.close();
      listener.want("orders");
      await stage.isSilent(listener, await stage.connected("orders"), "orders");
    },
  },
  {
    rule: "close.queue",
    name: "closes the queue while a listener is open, and the listener after it",
    check: async (stage) => {
      const listener = await stage.connected("orders");
      await stage.endsInTime(stage.queue.close(), "closing the queue");
      await stage.endsInTime(listener.close(), "closing a listener after the queue");
    },
  },
];

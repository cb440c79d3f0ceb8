import { ok } from "../../expect.js";
import { concurrently } from "../port-case.js";
import { newRing, type QueueCheck } from "./fixtures.js";

/** Names of definitions have letters, digits, `.`, `_` and `-`. */
const NAMES = ["orders", "Orders", "order", "a.b", "a_b", "a_2eb", "-", "__proto__", "constructor"];

/** Cases about rings that are published. */
export const ringChecks: readonly QueueCheck[] = [
  {
    rule: "ring.heard",
    name: "lets a listener hear each ring of a definition that it wants, with and without an operation",
    check: async (stage) => {
      const listener = await stage.connected("orders");
      for (let count = 1; count <= 20; count += 1) {
        const { heard } = listener;
        const ring = count % 2 === 0 ? newRing() : { definition: "orders" };
        if (!(await stage.ringOnce(ring, () => listener.heard > heard)))
          stage.fail(`a listener did not hear ring ${count} of 20`);
      }
    },
  },
  {
    rule: "ring.repeated",
    name: "rings again for the same operation",
    check: async (stage) => {
      const listener = await stage.connected("orders");
      const ring = newRing();
      for (let count = 1; count <= 3; count += 1) {
        const { heard } = listener;
        if (!(await stage.ringOnce(ring, () => listener.heard > heard)))
          stage.fail(`a listener did not hear ring ${count} of an operation`);
      }
    },
  },
  {
    rule: "ring.early",
    name: "accepts rings that no listener wants yet, and rings for later ones",
    check: async (stage) => {
      for (let count = 0; count < 5; count += 1) await stage.queue.publish([newRing()]);
      const listener = stage.listen(["orders"]);
      // The early rings may come late.
      for (let count = 0; count < 5; count += 1) await stage.ring("orders", listener);
    },
  },
  {
    rule: "ring.none",
    name: "accepts an empty list of rings",
    check: async (stage) => {
      await stage.queue.publish([]);
      await stage.connected("orders");
      await stage.queue.publish([]);
    },
  },
  {
    rule: "ring.many",
    name: "accepts a thousand rings of many concurrent callers, lets a listener hear one, and rings for later ones",
    check: async (stage) => {
      const listener = await stage.connected("orders");
      const { heard } = listener;
      await concurrently(20, () => stage.queue.publish(Array.from({ length: 50 }, () => newRing())));
      if (!(await stage.holds(() => listener.heard > heard)))
        stage.fail("a listener heard none of 1000 rings");
      for (let count = 0; count < 5; count += 1) await stage.ring("orders", listener);
    },
  },
  {
    rule: "ring.definitions",
    name: "rings for each definition of a list",
    check: async (stage) => {
      const names = Array.from({ length: 100 }, (_, index) => `definition-${index}`);
      for (const index of [0, 50, 99]) {
        const listener = await stage.connected(names[index] ?? "");
        const { heard } = listener;
        await stage.queue.publish(names.map((name) => newRing(name)));
        if (!(await stage.holds(() => listener.heard > heard)))
          stage.fail(`a listener did not hear a ring of definition ${index + 1} of 100`);
      }
    },
  },
  {
    rule: "ring.names",
    name: "keeps definitions apart whose names are similar or have special characters",
    check: async (stage) => {
      const listeners = NAMES.map((name) => ({ name, listener: stage.listen([name]) }));
      for (const { name, listener } of listeners) {
        const others = listeners.filter((each) => each.listener !== listener);
        const before = others.map((each) => each.listener.heard);
        for (let count = 0; count < 10; count += 1) await stage.ring(name, listener);
        for (const [index, other] of others.entries()) {
          const heard = other.listener.heard - (before[index] ?? 0);
          ok(heard < 5, `a listener that wants ${other.name} heard ${heard} of 10 rings of ${name}`);
        }
      }
    },
  },
];

import type { Queue } from "async-request-reply";
import type { Listening, Ring, RingListener } from "async-request-reply/ports";
import { createListeners, createLocalQueue } from "../../../src/backends/shared/local-notices.js";
import { type BrokenPort, caughtBy, named } from "./prove.js";
import { singleDelivery } from "./single-delivery.js";

/** Changes or refuses what is published. */
function publishing(
  queue: Queue,
  change: (rings: readonly Ring[]) => readonly Ring[],
): Pick<Queue, "publish"> {
  return { publish: async (rings) => queue.publish(change(rings)) };
}

/** Replaces methods of listenings. */
function listening(
  queue: Queue,
  methods: (underneath: Listening, listener: RingListener) => Partial<Listening>,
): Pick<Queue, "listen"> {
  return {
    listen: (listener) => {
      const underneath = queue.listen(listener);
      return { ...underneath, ...methods(underneath, listener) };
    },
  };
}

/** Changes what each listener wants. `create` returns a function that remembers what this listener has wanted before. */
function wanting(
  queue: Queue,
  create: () => (wanted: ReadonlySet<string>) => Iterable<string>,
): Pick<Queue, "listen"> {
  return listening(queue, ({ want }) => {
    const change = create();
    return { want: (wanted) => want(new Set(change(wanted))) };
  });
}

/** Rings for all listeners for which `hears` returns true. Ignores the definition. */
function ringingAll(hears: (wanted: ReadonlySet<string>) => boolean): Pick<Queue, "publish" | "listen"> {
  const listeners = new Map<RingListener, ReadonlySet<string>>();
  return {
    publish: async () => {
      for (const [{ onRing }, wanted] of listeners) if (hears(wanted)) onRing();
    },
    listen: (listener) => {
      listeners.set(listener, new Set());
      return {
        want: (wanted) => void (listeners.has(listener) && listeners.set(listener, wanted)),
        close: async () => void listeners.delete(listener),
      };
    },
  };
}

/** Changes names of definitions in rings and in what listeners want. */
function renaming(queue: Queue, rename: (name: string) => string): Pick<Queue, "publish" | "listen"> {
  return {
    ...publishing(queue, (rings) => rings.map((ring) => ({ ...ring, definition: rename(ring.definition) }))),
    ...wanting(queue, () => (wanted) => [...wanted].map(rename)),
  };
}

const never = (): Promise<never> => new Promise(() => {});

/** Queues that break a rule of rings. */
const ringingQueues = named<Queue>({
  "loses every other ring": caughtBy(["ring.heard", "ring.repeated", "share.any"], (queue) => {
    let count = 0;
    return publishing(queue, (rings) => rings.filter(() => ++count % 2 === 1));
  }),
  "refuses rings without an operation": caughtBy(["ring.heard"], (queue) =>
    publishing(queue, (rings) => {
      if (rings.some(({ operationId }) => operationId === undefined)) throw new Error("no operation");
      return rings;
    }),
  ),
  "rings once for each operation": caughtBy(["ring.repeated"], (queue) => {
    const seen = new Set<unknown>();
    return publishing(queue, (rings) =>
      rings.filter(
        ({ operationId }) => operationId === undefined || (!seen.has(operationId) && seen.add(operationId)),
      ),
    );
  }),
  "refuses rings that no listener has wanted": caughtBy(["ring.early", "ring.definitions"], (queue) => {
    const known = new Set<string>();
    return {
      ...publishing(queue, (rings) => {
        if (!rings.every(({ definition }) => known.has(definition))) throw new Error("no listener");
        return rings;
      }),
      ...wanting(queue, () => (wanted) => {
        for (const name of wanted) known.add(name);
        return wanted;
      }),
    };
  }),
  "refuses an empty list": caughtBy(["ring.none"], (queue) =>
    publishing(queue, (rings) => {
      if (rings.length === 0) throw new Error("there is nothing to publish");
      return rings;
    }),
  ),
  "rings for the first of a list only": caughtBy(["ring.definitions"], (queue) =>
    publishing(queue, (rings) => rings.slice(0, 1)),
  ),
  "never rings again after many rings": caughtBy(["ring.many"], (queue) => {
    let count = 0;
    return publishing(queue, (rings) => {
      count += rings.length;
      return count > 900 ? [] : rings;
    });
  }),
  "ignores the case of names": caughtBy(["ring.names"], (queue) =>
    renaming(queue, (name) => name.toLowerCase()),
  ),
  "gives two names the same escaped form": caughtBy(["ring.names"], (queue) =>
    renaming(queue, (name) => name.replaceAll(".", "_2e")),
  ),
  "has no rings for names that objects inherit": caughtBy(["ring.names"], (queue) =>
    publishing(queue, (rings) => rings.filter(({ definition }) => !(definition in {}))),
  ),
});

/** Queues that break a rule of what listeners want. */
const wantedQueues = named<Queue>({
  "rings for all listeners": caughtBy(
    ["want.first", "want.others", "want.changed", "want.none", "ring.names"],
    () => ringingAll(() => true),
  ),
  "rings for all listeners that want any definition": caughtBy(
    ["want.others", "want.changed", "ring.names"],
    () => ringingAll((wanted) => wanted.size > 0),
  ),
  "adds up what a listener wants": caughtBy(["want.changed", "want.none"], (queue) =>
    wanting(queue, () => {
      const all = new Set<string>();
      return (wanted) => {
        for (const name of wanted) all.add(name);
        return all;
      };
    }),
  ),
  "keeps to what a listener wanted first": caughtBy(["want.changed", "want.none"], (queue) =>
    wanting(queue, () => {
      let first: ReadonlySet<string> | undefined;
      return (wanted) => {
        first ??= wanted;
        return first;
      };
    }),
  ),
  "never rings again for what a listener has once not wanted": caughtBy(["want.again"], (queue) =>
    wanting(queue, () => {
      let known: ReadonlySet<string> = new Set();
      const left = new Set<string>();
      return (wanted) => {
        for (const name of known) if (!wanted.has(name)) left.add(name);
        known = wanted;
        return [...wanted].filter((name) => !left.has(name));
      };
    }),
  ),
  "rings for the first definition that a listener wants only": caughtBy(
    ["want.several", "want.others", "want.changed", "close.listening"],
    (queue) => wanting(queue, () => (wanted) => [...wanted].slice(0, 1)),
  ),
});

/** Queues that break a rule of several listeners. */
const sharedQueues = named<Queue>({
  "loses rings that several listeners want": caughtBy(["share.any", "share.full"], (queue) => {
    const wants = new Map<object, ReadonlySet<string>>();
    return {
      ...publishing(queue, (rings) =>
        rings.filter(
          ({ definition }) => [...wants.values()].filter((each) => each.has(definition)).length < 2,
        ),
      ),
      ...wanting(queue, () => {
        const listener = {};
        return (wanted) => {
          wants.set(listener, wanted);
          return wanted;
        };
      }),
    };
  }),
  "gives each ring to one listener and swallows it if that one has no slot left": caughtBy(
    ["share.full", "process.full"],
    (queue) => singleDelivery(queue, () => false),
  ),
  "hands a ring on only if a listener wants nothing more": caughtBy(["share.full", "process.full"], (queue) =>
    singleDelivery(queue, (_, wanted) => wanted.size === 0),
  ),
  "rings in its own process only": caughtBy(["process.heard", "process.full"], (_, clock) =>
    createLocalQueue(createListeners({ clock })),
  ),
});

/** Queues that break a rule of closing. */
const closingQueues = named<Queue>({
  "rings for listeners that were closed": caughtBy(["close.listening", "close.want"], (queue) =>
    listening(queue, () => ({ close: async () => {} })),
  ),
  "does not let a listener be closed twice": caughtBy(
    ["close.listening", "close.want", "close.queue", "close.unused"],
    (queue) =>
      listening(queue, ({ close }) => {
        let isClosed = false;
        return {
          close: async () => {
            if (isClosed) throw new Error("it was closed before");
            isClosed = true;
            await close();
          },
        };
      }),
  ),
  "closes all listeners with one": caughtBy(["close.listening"], (queue) => {
    const all: Listening[] = [];
    return listening(queue, (each) => {
      all.push(each);
      return { close: async () => void (await Promise.all(all.map((other) => other.close()))) };
    });
  }),
  "waits forever for what a listener never wanted": caughtBy(["close.unused"], (queue) =>
    listening(queue, ({ want, close }) => {
      let hasWanted = false;
      return {
        want: (wanted) => {
          hasWanted = true;
          want(wanted);
        },
        close: () => (hasWanted ? close() : never()),
      };
    }),
  ),
  "opens a listener again if it wants something after it was closed": caughtBy(["close.want"], (queue) =>
    listening(queue, ({ want, close }, listener) => {
      let isClosed = false;
      return {
        want: (wanted) => (isClosed ? queue.listen(listener).want(wanted) : want(wanted)),
        close: () => {
          isClosed = true;
          return close();
        },
      };
    }),
  ),
  "throws if a listener wants something after it was closed": caughtBy(["close.want"], (queue) =>
    listening(queue, ({ want, close }) => {
      let isClosed = false;
      return {
        want: (wanted) => {
          if (isClosed) throw new Error("it was closed");
          want(wanted);
        },
        close: () => {
          isClosed = true;
          return close();
        },
      };
    }),
  ),
  "does not close while a listener is open": caughtBy(["close.queue"], (queue) => {
    let open = 0;
    return {
      ...listening(queue, ({ close }) => {
        open += 1;
        return {
          close: () => {
            open -= 1;
            return close();
          },
        };
      }),
      close: () => (open > 0 ? never() : queue.close()),
    };
  }),
});

/** Queues that each break a rule. */
export const brokenQueues: readonly BrokenPort<Queue>[] = [
  ...ringingQueues,
  ...wantedQueues,
  ...sharedQueues,
  ...closingQueues,
];

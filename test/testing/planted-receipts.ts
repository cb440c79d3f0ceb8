import { withQueue } from "async-request-reply";
import type { Delivery } from "async-request-reply/ports";
import type { CreateBackend } from "async-request-reply/testing";
import { receivingBy } from "../support/consumers.js";
import { replacing } from "../support/replacing.js";
import { type BeginReceipt, beginningBackend, beginReceipt } from "./beginning-backend.js";

/** A back end with one mistake, and the violation that the simulator must report. */
interface PlantedReceipt {
  readonly create: CreateBackend;
  readonly violation: RegExp;
}

/** Mistakes of queues that begin attempts when they deliver. The simulator must detect all of them. */
export const plantedReceipts: Readonly<Record<string, PlantedReceipt>> = {
  "a receipt begins an attempt under a live lease": {
    create: (clock) =>
      beginningBackend(clock, (store, operation, { token }) =>
        beginReceipt(store, operation, { token, leaseMs: 0 }),
      ),
    violation: /I7: .* has two live leases/,
  },

  "two receipts begin the same attempt": {
    create: (clock) => {
      const backend = beginningBackend(clock);
      let last: readonly Delivery[] = [];
      const consume = receivingBy(backend.queue, async (request, consumer) => {
        const received = await consumer.receive(request);
        const again = last.slice(0, request.limit - received.length);
        last = received;
        return [...received, ...again];
      });
      return withQueue(backend, replacing(backend.queue, consume));
    },
    violation: /I7: the same attempt of .* was received twice/,
  },

  "a repeated receipt forgets the attempts that it began": {
    create: (clock) => {
      const begun = new Set<string>();
      const once: BeginReceipt = async (store, operation, lease) => {
        const name = `${operation.id} ${lease.token}`;
        if (begun.has(name)) return undefined;
        begun.add(name);
        return beginReceipt(store, operation, lease);
      };
      return beginningBackend(clock, once, { remembers: false });
    },
    violation: /I2: the worker of an attempt of .* never received it/,
  },

  "a receipt ignores earlier attempts": {
    create: (clock) =>
      beginningBackend(clock, async (store, operation, lease) => {
        const begun = await beginReceipt(store, operation, lease);
        return begun && { ...begun, operation: { ...begun.operation, attempt: 1 } };
      }),
    violation: /I2: .* began as attempt 1, not 2/,
  },

  "a receipt begins work of a paused definition": {
    create: (clock) =>
      beginningBackend(clock, async (store, operation, lease) => {
        const { definition } = operation;
        const [stats] = (await store.stats?.({ definitions: [definition] })) ?? [];
        if (stats?.paused === undefined) return beginReceipt(store, operation, lease);
        await store.resume?.(definition);
        const begun = await beginReceipt(store, operation, lease);
        await store.pause?.(definition);
        return begun;
      }),
    violation: /I23: .* began although .* was paused/,
  },

  "a receipt begins an operation that has ended": {
    create: (clock) =>
      beginningBackend(clock, async (store, operation, lease) => {
        if (operation.state !== "completed") return beginReceipt(store, operation, lease);
        const again = { ...operation, attempt: operation.attempt + 1 };
        return { outcome: "begun", operation: again, previousLost: false };
      }),
    violation: /I4: an attempt of .* began after it had ended/,
  },
};

import { type Delivery, withQueue } from "async-request-reply";
import type { CreateBackend } from "async-request-reply/testing";
import { receivingBy } from "../consumers.js";
import { replacing } from "../replacing.js";
import { type BeginReceipt, beginningBackend, beginReceipt } from "./beginning-backend.js";

/** A mistake, as a back end that makes it, and what the simulator must say of it. */
interface PlantedReceipt {
  readonly create: CreateBackend;
  readonly violation: RegExp;
}

/** Mistakes of a queue whose receipts begin attempts. The simulator must find every one of them. */
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
    violation: /I7: one attempt on .* was received twice/,
  },

  "a receipt that is repeated forgets what it has begun": {
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
    violation: /I2: an attempt on .* has begun, and its worker never hears of it/,
  },

  "a receipt forgets the attempts before it": {
    create: (clock) =>
      beginningBackend(clock, async (store, operation, lease) => {
        const begun = await beginReceipt(store, operation, lease);
        return begun && { ...begun, operation: { ...begun.operation, attempt: 1 } };
      }),
    violation: /I2: .* began as attempt 1 and not as 2/,
  },

  "a receipt begins what has ended": {
    create: (clock) =>
      beginningBackend(clock, async (store, operation, lease) => {
        if (operation.state !== "completed") return beginReceipt(store, operation, lease);
        const again = { ...operation, attempt: operation.attempt + 1 };
        return { outcome: "begun", operation: again, previousLost: false };
      }),
    violation: /I4: .* began after its end/,
  },
};

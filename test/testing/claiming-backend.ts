import { type Backend, type Clock, createMemoryBackend, type Queue, withQueue } from "async-request-reply";
import { createDueConsumer } from "../../src/backends/shared/due-consumer.js";

/** Creates the memory back end with a queue whose receipts claim work in the store, like those of SQLite and Postgres. */
export function claimingBackend(clock: Clock): Backend<never> {
  const backend = createMemoryBackend({ clock });
  const consume: Queue["consume"] = ({ definitions }) =>
    createDueConsumer({ claim, expect: () => NO_WAIT }, definitions, { waits: false });
  const queue = { publish: async () => {}, consume, consumeByTicket: consume, close: async () => {} };
  return withQueue(backend, queue);

  async function claim(...[request]: Parameters<NonNullable<typeof backend.operations.claim>>) {
    const claimed = await backend.operations.claim?.(request);
    if (claimed === undefined) throw new Error("The memory store has no `claim`.");
    return claimed;
  }
}

const NO_WAIT = { wait: async () => {}, cancel: () => {} };

/** Creates a back end with that queue and another one, whose messages only say that there is work. */
export function ticketedBackend(clock: Clock): Backend<never> {
  return withQueue(claimingBackend(clock), createMemoryBackend({ clock }).queue);
}

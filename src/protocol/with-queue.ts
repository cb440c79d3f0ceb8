import { type AwaitUsing, awaitUsing } from "../contract/await-using.js";
import { isObject, kindOf, misuse, present } from "../contract/options.js";
import type { Backend } from "../ports/backend.js";
import type { Queue } from "../ports/queue.js";
import { checkBackend } from "./check-backend.js";

/**
 * Returns a back end with another queue. Key and operation are still recorded in one step, and transactions still work. Workers
 * also listen to the back end's own queue, which rings for what is recorded in your transactions. `close` closes the new queue and
 * the back end.
 *
 * Throws `INVALID_OPTION` if an argument is missing.
 */
export function withQueue<Tx>(backend: Backend<Tx>, queue: Queue): Backend<Tx> & AwaitUsing {
  checkBackend(backend);
  checkQueue(queue);
  const { operations, submissions, output, minutes, actions, queue: own } = backend;
  return {
    operations,
    submissions,
    ...present({ output, minutes, actions }),
    queue: {
      publish: (rings) => queue.publish(rings),
      listen: listenToBoth(queue, own),
      close: () => queue.close(),
    },
    check: () => backend.check(),
    close: async () => {
      try {
        await queue.close();
      } finally {
        await backend.close();
      }
    },
    ...awaitUsing(),
  };
}

function listenToBoth(...queues: readonly Queue[]): Queue["listen"] {
  return (listener) => {
    const all = queues.map((queue) => queue.listen(listener));
    return {
      want: (definitions) => {
        for (const listening of all) listening.want(definitions);
      },
      close: async () => void (await Promise.all(all.map((listening) => listening.close()))),
    };
  };
}

/** The value is not quoted, because an address can contain a password. */
function checkQueue(value: unknown): void {
  const { publish, listen, close } = isObject(value) ? (value as Partial<Queue>) : {};
  if ([publish, listen, close].every((method) => typeof method === "function")) return;
  throw misuse(
    `The second argument of \`withQueue\` must be a queue, such as \`createNatsQueue({ jetstream })\`, not ${kindOf(value)}.`,
  );
}

import type { Webhooks } from "../../../ports/webhooks.js";
import { createWebhooks } from "../../../webhooks/create-webhooks.js";
import type { SendWebhook } from "../../../webhooks/sending/send.js";
import type { ReceiverAnswer } from "../ledger/webhooks.js";
import type { Stage } from "../stage.js";
import { short } from "../world/names.js";
import type { Process } from "../world/process.js";
import { orders } from "./orders.js";

/** Time after which a slow receiver answers. Deliveries wait for 15 s. */
const SLOW_MS = 20_000;

const ANSWERS: readonly (readonly [answer: ReceiverAnswer, weight: number])[] = [
  ["accepts", 8],
  ["fails", 3],
  ["is down", 2],
  ["is slow", 2],
  ["is gone", 1],
  ["redirects", 1],
];

const STATUSES: Readonly<Record<ReceiverAnswer, number>> = {
  accepts: 204,
  fails: 503,
  "is down": 0,
  "is slow": 204,
  "is gone": 410,
  redirects: 302,
};

/**
 * Returns the webhooks of one process, in histories that have them. Every tenant has a receiver for orders, and none for
 * notices.
 */
export function webhooksOf(stage: Stage, process: Process): { readonly webhooks?: Webhooks } {
  if (!stage.webhooks) return {};
  const webhooks = createWebhooks({
    endpoint: (tenant, definition) =>
      definition === orders.name ? { url: `https://${tenant}.example/` } : undefined,
    // WebCrypto would take time that the world does not control.
    sign: ({ id, timestamp }) => `v1,${id}.${timestamp}`,
    send: senderOf(stage, process),
  });
  return { webhooks };
}

/** Creates the function that sends webhooks. The choices of the world decide what receivers answer. */
function senderOf({ world, ledger }: Stage, process: Process): SendWebhook {
  return async ({ headers, body }) => {
    const id = headers["webhook-id"] ?? "";
    const answer = await world.call(process, `webhook(${short(id)})`, async () => {
      const chosen = world.choices.weighted(ANSWERS);
      if (chosen !== "is down") ledger.webhooks.received(id, new TextDecoder().decode(body), chosen);
      return chosen;
    });
    if (answer === "is down") throw new Error("simulated: connection refused");
    if (answer === "is slow")
      await new Promise<void>((resolve) => world.clockOf(process).schedule(SLOW_MS, resolve));
    return { status: STATUSES[answer] };
  };
}

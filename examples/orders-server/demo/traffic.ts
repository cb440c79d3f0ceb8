import { setTimeout as sleep } from "node:timers/promises";
import type { Service } from "async-request-reply";
import type { Operator } from "async-request-reply/operator";
import { chance, type definitions, emails, imports, invoices, orders, reports } from "./definitions.js";

const TENANTS = ["acme", "globex", "initech", "umbrella"] as const;
const ITEMS = ["book", "lamp", "chair", "desk"] as const;
/** Pause between two rounds. Milliseconds. */
const ROUND_MS = 500;
const CANCELLED_SHARE = 0.1;
const REDRIVEN_SHARE = 0.002;
/** Operations that are run again at a time. */
const REDRIVEN = 20;

type DemoService = Service<typeof definitions>;

/**
 * Submits, cancels and redrives operations of several tenants, so that the console has something to show, until the signal is aborted.
 */
export async function makeTraffic(
  service: DemoService,
  operator: Operator<(typeof definitions)[number]["name"]>,
  signal: AbortSignal,
): Promise<void> {
  await operator.pause(invoices.name, { by: "demo" });
  while (!signal.aborted) {
    for (const tenant of TENANTS) await submitSome(service, operator, tenant).catch(ignoreRefusal);
    if (chance(REDRIVEN_SHARE))
      await operator.redrive({ definition: orders.name }, { limit: REDRIVEN, by: "demo" });
    await sleep(ROUND_MS, undefined, { signal }).catch(() => {});
  }
}

async function submitSome(
  service: DemoService,
  operator: Pick<Operator, "cancel">,
  tenant: string,
): Promise<void> {
  const options = { tenant };
  await service.submit(orders, { itemId: oneOf(ITEMS), quantity: upTo(5) }, options);
  for (let count = upTo(3); count > 0; count -= 1)
    await service.submit(emails, { to: `customer-${upTo(500)}@${tenant}.example` }, options);
  if (chance(0.3)) await service.submit(imports, { rows: 100 * upTo(10) }, options);
  if (chance(0.15)) {
    const { operationId } = await service.submit(reports, { month: upTo(12) }, options);
    if (chance(CANCELLED_SHARE)) await operator.cancel(operationId);
  }
  if (chance(0.1))
    await service.submit(emails, { to: `later@${tenant}.example` }, { tenant, delayMs: 60_000 });
  if (chance(0.3)) await service.submit(invoices, { order: upTo(1_000) }, options);
}

/** The backlog of invoices is full on purpose. */
function ignoreRefusal(error: unknown): void {
  const { code } = error as { readonly code?: unknown };
  if (code !== "TOO_MANY_PENDING" && code !== "SERVICE_CLOSED") throw error;
}

function upTo(most: number): number {
  return 1 + Math.floor(Math.random() * most);
}

function oneOf<Value>(values: readonly [Value, ...Value[]]): Value {
  return values[upTo(values.length) - 1] ?? values[0];
}

import { isTerminal } from "../../../contract/operation.js";
import type { HttpResponse } from "../../../http/message/message.js";
import { judgeStatus } from "../ledger/answers.js";
import { type Entry, isHidden, stateOf } from "../ledger/entry.js";
import type { Stage } from "../stage.js";
import { short } from "../world/names.js";
import { Process } from "../world/process.js";
import type { Apis } from "./actors.js";
import { ask, statusOf, WAIT } from "./requests.js";

const MAX_WAITERS = 5;
const MAX_TRIES = 300;
/** A process reads each operation that a request waits for at least every 5 s. Calls take no time without faults. */
const MAX_LATE_MS = 5_000;

/** Waits for the ends of operations that are pending when the faults are over. Each request goes to any process. */
export async function awaitEnds(stage: Stage, apis: Apis): Promise<void> {
  const { entries } = stage.ledger;
  const pending = entries.where((entry) => entry.promised && !isHidden(entry) && !isTerminal(stateOf(entry)));
  await Promise.all(pending.slice(0, MAX_WAITERS).map((entry) => awaitEnd(stage, apis, entry)));
}

/** Waits until an operation has ended, and checks that the reply comes as soon as a waiter can know it (I16). */
async function awaitEnd(stage: Stage, apis: Apis, { id, tenant }: Entry): Promise<void> {
  const { world, ledger } = stage;
  const beganAt = world.now;
  const caller = { name: `waiter-${short(id)}`, tenant };
  const clock = world.clockOf(new Process(caller.name));
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { moment } = ledger.entries;
    const response = await ask(stage, apis, caller, ["GET", `/operations/${id}`], WAIT);
    world.note(`${caller.name}: GET with wait=20 -> ${statusOf(response)}`);
    judgeStatus(ledger, { id, tenant, moment }, response);
    if (response?.status === 404) return;
    const endedAt = endIn(response);
    if (endedAt !== undefined) {
      const lateMs = world.now - Math.max(beganAt, endedAt);
      if (lateMs > MAX_LATE_MS)
        ledger.violated("I16", `a waiter learned of the end of ${id} ${lateMs} ms late`);
      return;
    }
    if (response?.status !== 200) await new Promise<void>((resolve) => clock.schedule(1_000, resolve));
  }
}

/** Returns the time of the end, or undefined if the response shows none. Epoch milliseconds. */
function endIn(response: HttpResponse | undefined): number | undefined {
  if (response?.status !== 200) return undefined;
  const { finishedAt } = JSON.parse(String(response.body)) as { readonly finishedAt?: string };
  return finishedAt === undefined ? undefined : Date.parse(finishedAt);
}

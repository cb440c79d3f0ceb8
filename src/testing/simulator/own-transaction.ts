import type { Submitted } from "../../in-process/submit.js";
import type { Api } from "./actors.js";
import type { Stage } from "./stage.js";
import { orders } from "./work.js";

/** Thrown by users who change their minds. */
class ChangeOfMind extends Error {}

/** Writes something of the user's and submits an order in one transaction, which is then committed or rolled back. */
export async function submitInOwnTransaction(
  stage: Stage,
  { service, process }: Api,
  { tenant, key }: { readonly tenant: string; readonly key: string },
): Promise<void> {
  const { world, ledger, transactions, nextNumber } = stage;
  const { users } = transactions;
  if (users === undefined) return;
  const startedAt = world.now;
  const own = nextNumber();
  const committed = transactions.run<Submitted, Submitted>({
    process,
    kind: "own",
    name: String(own),
    start: (work) => users.run(work),
    work: async (tx) => {
      await transactions.write(process, tx, `own ${own}`);
      const order = { itemId: "item", quantity: 1 };
      const submitted = await service.submit(orders, order, { tenant, key, tx });
      if (world.choices.choose(4) === 3) throw new ChangeOfMind();
      return submitted;
    },
    isCommitted: () => true,
  });
  const submitted = await Promise.race([committed.catch(() => {}), process.death]);
  if (!submitted) return;
  world.note(`${process.name}: submitted ${key} in a transaction -> ${submitted.operationId}`);
  ledger.promised({ tenant, key, startedAt }, submitted.operationId);
}

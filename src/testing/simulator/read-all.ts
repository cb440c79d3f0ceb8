import type { ListedOperation, ListRequest } from "../../ports/operation-reads.js";
import { WEBHOOK_DELIVERY } from "../../ports/webhooks.js";
import { NOTICES } from "./actors/notices.js";
import { orders } from "./actors/orders.js";
import { type Entry, isHidden, isUncertain } from "./ledger/entry.js";
import type { Ledger } from "./ledger/ledger.js";
import type { Stage } from "./stage.js";

export const DEFINITIONS: readonly string[] = [orders.name, NOTICES.name, WEBHOOK_DELIVERY];

/** Small, so that many pages begin in the middle of the operations of another tenant or definition. */
const PAGE = 2;
/** Number of small pages. One large page has the rest, because every call takes time on a server. */
const SMALL_PAGES = 5;
const REST = 10_000;

type Filter = Omit<ListRequest, "limit" | "after">;

/** Filters of lists. Each reading of a history uses the next one. */
const FILTERS: readonly Filter[] = [
  { tenant: "tenant-1" },
  { definition: orders.name },
  { internal: true },
  { tenant: "tenant-2", definition: NOTICES.name },
  { state: "failed" },
  {},
  { definition: NOTICES.name, state: "failed", internal: true },
  { tenant: "tenant-2", state: "failed" },
  { state: "pending", internal: true },
  { tenant: "tenant-1", definition: orders.name, state: "completed" },
];

/** Reads everything from the store, so that a history ends soon after a violation. No call is under way meanwhile. */
export async function readAll({ backend, output, ledger, transactions, synchronous }: Stage): Promise<void> {
  const { entries } = ledger;
  const kept = entries.where((entry) => !entries.mayBeGone(entry) || isUncertain(entry));
  for (const { id, tenant } of kept.filter((entry) => !isHidden(entry)))
    ledger.readings.read(id, tenant, await backend.operations.get(id, tenant));
  await readHidden(kept.filter(isHidden), backend, ledger);
  await readOutputs(kept, output, ledger);
  await readPages(backend, ledger);
  await readCounts(backend, ledger);
  await transactions.judge();
  synchronous?.judge();
}

/** Reads the operations that no client can see. */
async function readHidden(
  hidden: readonly Entry[],
  { operations }: Stage["backend"],
  ledger: Ledger,
): Promise<void> {
  if (hidden.length === 0) return;
  const ids = hidden.map(({ id }) => id);
  ledger.readings.readMany(ids, await operations.getMany(ids));
}

async function readOutputs(
  kept: readonly Entry[],
  output: Stage["output"],
  { outputs }: Ledger,
): Promise<void> {
  const requests = kept.filter((entry) => outputs.has(entry)).map(({ id }) => ({ id, maxLength: REST }));
  if (output === undefined || requests.length === 0) return;
  const slices = await output.read(requests);
  for (const [index, request] of requests.entries()) outputs.read(request, slices[index]);
}

async function readPages({ operations }: Stage["backend"], { listings }: Ledger): Promise<void> {
  const filter = FILTERS[listings.pagesRead % FILTERS.length] as Filter;
  const pages: (readonly ListedOperation[])[] = [];
  let after: ListedOperation | undefined;
  do {
    const limit = pages.length < SMALL_PAGES ? PAGE : REST;
    const page = await operations.list({ ...filter, limit, ...(after === undefined ? {} : { after }) });
    pages.push(page);
    after = page.at(-1);
  } while (after !== undefined && pages.length <= SMALL_PAGES);
  listings.readPages({ ...filter, limit: PAGE }, pages);
}

async function readCounts({ operations }: Stage["backend"], { counts }: Ledger): Promise<void> {
  counts.read(DEFINITIONS, await operations.stats({ definitions: DEFINITIONS }));
}

import { allowAnonymous, createOrderService, createWorker } from "async-request-reply";
import { createSqliteBackend } from "async-request-reply/sqlite";
import { openFile } from "./sqlite-client.js";

/** Line that this program prints. */
export type OrdersLine =
  | { readonly key: string; readonly status: number; readonly id?: string }
  | { readonly ran: string }
  | { readonly submitted: number }
  | { readonly operations: readonly { readonly id: string; readonly state: string }[] };

const [, , client = "", path = "", role = "", count = ""] = process.argv;

const print = (line: OrdersLine): void => console.log(JSON.stringify(line));
/** Nothing that waits this long is found by a poll. */
const NEVER_MS = 3_600_000;
const backend = createSqliteBackend({
  database: openFile(client, path),
  ...(role === "wait" ? { pollIntervalMs: NEVER_MS } : {}),
});

/** Submits one order until it is accepted. */
async function submit(key: string, handle: Handle): Promise<void> {
  const headers = { "content-type": "application/json", "idempotency-key": key };
  const body = JSON.stringify({ itemId: key, quantity: 1 });
  for (;;) {
    const reply = await handle({ method: "POST", path: "/orders", headers, body });
    const location = reply.headers.location;
    print({ key, status: reply.status, ...(typeof location === "string" ? { id: location } : {}) });
    if (reply.status !== 503) return;
  }
}

type Handle = ReturnType<typeof createOrderService>["handle"];

/** Runs work and submits all orders, which other processes submit too. Ends when it is killed. */
async function workAndSubmit(): Promise<void> {
  const service = createOrderService({ backend, authorize: allowAnonymous(), observe: false });
  const orders = async (_: unknown, job: { readonly operationId: string }): Promise<void> => {
    // Otherwise the first process would finish everything before the others have started.
    await new Promise((resolve) => setTimeout(resolve, 20));
    print({ ran: job.operationId });
  };
  const worker = createWorker(
    service,
    { orders },
    { leaseMs: 1_000, sweepIntervalMs: 200, concurrency: 4, maxAttempts: 20 },
  );
  await worker.start();
  const keys = Array.from({ length: Number(count) }, (_, index) => `order-${index + 1}`);
  const submitAll = async (): Promise<void> => {
    for (let key = keys.shift(); key !== undefined; key = keys.shift()) await submit(key, service.handle);
  };
  await Promise.all([1, 2, 3, 4].map(submitAll));
  print({ submitted: Number(count) });
}

/** Runs only work that this process notices, until it is killed. */
async function wait(): Promise<void> {
  const orders = async (_: unknown, job: { readonly operationId: string }): Promise<void> =>
    print({ ran: job.operationId });
  const service = createOrderService({ backend, authorize: allowAnonymous(), observe: false });
  await createWorker(service, { orders }, { sweepIntervalMs: NEVER_MS }).start();
  print({ submitted: 0 });
}

async function submitOne(): Promise<void> {
  const { handle, close } = createOrderService({ backend, authorize: allowAnonymous(), observe: false });
  await submit(count, handle);
  await close();
}

async function list(): Promise<void> {
  const operations = await backend.operations.list({ limit: 10_000 });
  print({ operations: operations.map(({ id, state }) => ({ id, state })) });
}

const roles: Readonly<Record<string, () => Promise<void>>> = {
  list,
  wait,
  submit: submitOne,
  work: workAndSubmit,
};
await roles[role]?.();

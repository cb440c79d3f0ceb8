import {
  type Backend,
  createMemoryBackend,
  createOrderService,
  createWorker,
  defineOrders,
  type OrderDefinition,
  type RunSummary,
  type Service,
  type Worker,
} from "async-request-reply";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { openWorkshop } from "./execute.js";
import { exampleIn } from "./sections.js";

type Answer = (request: Request) => Promise<Response>;

interface Vercel {
  readonly toRoutes: (
    service: Service<readonly [OrderDefinition]>,
    waitUntil: (work: Promise<unknown>) => void,
  ) => { readonly api: Answer; readonly cron: Answer };
}

interface Lambda {
  readonly toScheduledHandler: (
    worker: Worker,
  ) => (event: unknown, context: { getRemainingTimeInMillis(): number }) => Promise<RunSummary>;
}

interface CloudRun {
  readonly main: (backend: Backend) => Promise<void>;
}

const workshop = openWorkshop();
afterAll(() => workshop.remove());

/** Loads the example of a section. */
const load = <Exports>(heading: string) => workshop.load<Exports>(exampleIn("docs/functions.md", heading));

const order = (): Request =>
  new Request("https://shop.example/orders", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer demo-token" },
    body: JSON.stringify({ itemId: "pen", quantity: 1 }),
  });

const authorize = () => ({ id: "ann", tenant: "acme" });

/** A memory back end that stays open when a call closes its service. */
function createShared(): Backend {
  return { ...createMemoryBackend(), close: async () => {} };
}

const stateOf = async (backend: Backend, id: string, tenant: string) =>
  (await backend.operations.get(id, tenant))?.state;

async function submitTo(backend: Backend): Promise<string> {
  const service = createOrderService({ backend, authorize, observe: false });
  const [orders] = service.definitions;
  return (await service.submit(orders, { itemId: "pen", quantity: 1 }, { tenant: "acme" })).operationId;
}

describe("the page about functions", () => {
  afterEach(() => vi.unstubAllEnvs());

  it("works after the reply and in a cron job on Vercel", async () => {
    vi.stubEnv("CRON_SECRET", "secret");
    const { toRoutes } = await load<Vercel>("Vercel");
    const backend = createShared();
    const service = createOrderService({ backend, authorize, observe: false });
    const pending: Promise<unknown>[] = [];
    const { api, cron } = toRoutes(service, (work) => pending.push(work));
    const reply = await api(order());
    expect(reply.status).toBe(202);
    await Promise.all(pending);
    const { operationId } = (await reply.json()) as { readonly operationId: string };
    expect(await stateOf(backend, operationId, "acme")).toBe("completed");
    const later = await submitTo(backend);
    const call = (secret: string): Promise<Response> =>
      cron(new Request("https://shop.example/cron/work", { headers: { authorization: `Bearer ${secret}` } }));
    expect((await call("wrong")).status).toBe(401);
    expect(await stateOf(backend, later, "acme")).toBe("pending");
    expect(await (await call("secret")).json()).toMatchObject({ completed: 1, idle: true });
  });

  it("works on a schedule on Lambda, within the time that is left", async () => {
    const { toScheduledHandler } = await load<Lambda>("AWS Lambda");
    const backend = createShared();
    await submitTo(backend);
    const source = { definitions: [defineOrders()], backend, observe: false } as const;
    const worker = createWorker(source, { orders: () => "done" });
    const runFor = vi.spyOn(worker, "runFor");
    const handler = toScheduledHandler(worker);
    const summary = await handler({}, { getRemainingTimeInMillis: () => 60_000 });
    expect(summary).toMatchObject({ completed: 1, idle: true });
    expect(runFor).toHaveBeenCalledExactlyOnceWith({ maxMs: 59_000 });
  });

  it("works until nothing is due in a job of Cloud Run", async () => {
    const { main } = await load<CloudRun>("Cloud Run jobs");
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    const backend = createShared();
    const id = await submitTo(backend);
    await main(backend);
    expect(await stateOf(backend, id, "acme")).toBe("completed");
    expect(log).toHaveBeenCalledWith(expect.objectContaining({ completed: 1, idle: true }));
    log.mockRestore();
  });
});

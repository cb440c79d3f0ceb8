import {
  type Authorize,
  bearer,
  createOrderService,
  createWorker,
  type Order,
  type OrderServiceOptions,
  permanentFailure,
  type ServiceEvent,
} from "async-request-reply";
import { expect, onTestFinished } from "vitest";
import type {
  Mounted,
  WireConnection,
  WireRequest,
  WireResponse,
} from "../support/adapter-suite/fixtures/adapter-case.js";
import { TOKENS } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { allOperations } from "../support/all-operations.js";
import { signalOf } from "../support/worker-stage.js";
import type { ComparedAdapter } from "./identity-adapters.js";
import { isBrokenOff, toText } from "./identity-transcript.js";
import { comparable, createPredictableBackend, createPredictableRuntime } from "./predictable-service.js";

/** Identical services, each behind a different adapter. */
export type Lineup = Awaited<ReturnType<typeof createLineup>>;

/** Creates a lineup of these adapters until the test ends. */
export async function lineUp(...args: Parameters<typeof createLineup>): Promise<Lineup> {
  const lineup = await createLineup(...args);
  onTestFinished(lineup.close);
  return lineup;
}

/** Creates a lineup of these adapters. The others are compared with the first one. */
export async function createLineup(
  adapters: readonly ComparedAdapter[],
  options: Partial<OrderServiceOptions> = {},
) {
  const members = await Promise.all(adapters.map((each) => createMember(each, options)));
  const same = async <T>(ask: (member: Member) => Promise<T>): Promise<T> => {
    const [expected, ...others] = await Promise.all(
      members.map(async (member) => ({ adapter: member.adapter, answer: await ask(member) })),
    );
    if (expected === undefined) return expect.unreachable("the lineup is empty");
    for (const other of others) expect(other).toEqual({ ...other, answer: expected.answer });
    return expected.answer;
  };
  return {
    /**
     * Sends a request to every adapter and checks that the replies, the events and the data seen by hooks are equal.
     * Resolves to `undefined` if the client breaks off.
     */
    exchange: async (request: WireRequest) => (await same(({ exchange }) => exchange(request))).reply,
    work: async () => void (await same(({ work }) => work())),
    /** Checks that all services recorded the same operations, and returns them. */
    recorded: () => same(({ recorded }) => recorded()),
    close: async () => void (await Promise.all(members.map(({ close }) => close()))),
  };
}

type Member = Awaited<ReturnType<typeof createMember>>;

async function createMember(
  { adapter, createHarness }: ComparedAdapter,
  options: Partial<OrderServiceOptions>,
) {
  const harness = createHarness();
  const backend = createPredictableBackend();
  const witness = createWitness();
  const service = createOrderService({
    backend,
    runtime: createPredictableRuntime(),
    ...options,
    authorize: witness.authorize,
    observe: witness.observe,
  });
  const worker = createWorker(service, { orders: ship });
  const send = keepingAlive(await harness.mount(service));
  return {
    adapter,
    exchange: async (request: WireRequest) => {
      const reply = await send(request);
      if (reply === undefined) await witness.nextEvent();
      return { reply: reply && comparable(reply), seen: witness.take() };
    },
    work: async () => {
      await worker.runUntilIdle();
      return witness.take();
    },
    recorded: () => allOperations(backend.operations),
    close: harness.close,
  };
}

/** Fields that the witness reads: some that the service reads too, and some that it ignores. */
const FIELDS_OF_HOOKS = "Authorization accept Content-Type content-length Idempotency-Key X-Odd prefer".split(
  " ",
);

/** Records the events of a service and what its hooks see of each request. */
function createWitness() {
  let seen: unknown[] = [];
  let event = signalOf();
  const known = bearer(TOKENS);
  const authorize: Authorize = (request, authorization) => {
    const { method, path, header } = request;
    seen.push([authorization, method, path, ...FIELDS_OF_HOOKS.map(header)]);
    return known(request, authorization);
  };
  return {
    authorize,
    observe: (observed: ServiceEvent) => {
      seen.push(toText(observed));
      event.resolve();
    },
    /** Resolves as soon as there is an event that `take` has not returned yet. */
    nextEvent: () => event.promise,
    /** Returns everything recorded since the last call. */
    take: (): readonly unknown[] => {
      const taken = seen;
      seen = [];
      event = signalOf();
      return taken;
    },
  };
}

function ship({ itemId, quantity }: Order): unknown {
  if (itemId === "unicorn") throw permanentFailure("Unicorns are sold out.");
  return { shipped: quantity };
}

/** Sends all requests on one connection while it lasts, if the adapter has connections. */
function keepingAlive({ send, open }: Mounted): (request: WireRequest) => Promise<WireResponse | undefined> {
  let connection: WireConnection | undefined;
  return async (request) => {
    if (open === undefined) {
      const reply = await send(request);
      return isBrokenOff(request) ? undefined : reply;
    }
    connection ??= await open();
    const { write, read } = connection;
    await write(request);
    const reply = isBrokenOff(request) ? undefined : await read();
    if (reply === undefined || isLast(reply)) connection = undefined;
    return reply;
  };
}

function isLast({ headers }: WireResponse): boolean {
  return headers.some(([name, value]) => name === "connection" && value === "close");
}

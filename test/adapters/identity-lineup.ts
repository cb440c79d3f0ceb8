import {
  createOrderService,
  createWorker,
  type Order,
  type OrderServiceOptions,
  permanentFailure,
} from "async-request-reply";
import type { Operation } from "async-request-reply/ports";
import { expect } from "vitest";
import type {
  Mounted,
  WireConnection,
  WireRequest,
  WireResponse,
} from "../support/adapter-suite/fixtures/adapter-case.js";
import { allOperations } from "../support/all-operations.js";
import type { ComparedAdapter } from "./identity-adapters.js";
import { isBrokenOff } from "./identity-transcript.js";
import { createWitness } from "./identity-witness.js";
import { comparable, createPredictableBackend, createPredictableRuntime } from "./predictable-service.js";

/** Identical services, each behind a different adapter. */
export interface Lineup {
  /**
   * Sends a request to every adapter and checks that the replies, the events and the data seen by hooks are equal.
   * Resolves to `undefined` if the client breaks off.
   */
  exchange(request: WireRequest): Promise<WireResponse | undefined>;
  /** Runs all due work of each service. */
  work(): Promise<void>;
  /** Checks that all services recorded the same operations, and returns them. */
  recorded(): Promise<readonly Operation[]>;
  close(): Promise<void>;
}

/** Creates lineups for the tests of a file. `close` ends all of them. */
export function createLineups(): { lineUp: typeof createLineup; close(): Promise<void> } {
  const lineups: Lineup[] = [];
  return {
    lineUp: async (adapters, options) => {
      const lineup = await createLineup(adapters, options);
      lineups.push(lineup);
      return lineup;
    },
    close: async () => {
      for (const { close } of lineups.splice(0)) await close();
    },
  };
}

/** Creates a lineup of these adapters. The others are compared with the first one. */
async function createLineup(
  adapters: readonly ComparedAdapter[],
  options: Partial<OrderServiceOptions> = {},
): Promise<Lineup> {
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
    exchange: async (request) => (await same(({ exchange }) => exchange(request))).reply,
    work: async () => void (await same(({ work }) => work())),
    recorded: () => same(({ recorded }) => recorded()),
    close: async () => void (await Promise.all(members.map(({ close }) => close()))),
  };
}

interface Member {
  readonly adapter: string;
  exchange(
    request: WireRequest,
  ): Promise<{ readonly reply: WireResponse | undefined; readonly seen: unknown }>;
  work(): Promise<unknown>;
  recorded(): Promise<readonly Operation[]>;
  close(): Promise<void>;
}

async function createMember(
  { adapter, createHarness }: ComparedAdapter,
  options: Partial<OrderServiceOptions>,
): Promise<Member> {
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
    exchange: async (request) => {
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

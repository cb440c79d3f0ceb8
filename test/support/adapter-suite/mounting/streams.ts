import { allowAnonymous, createOrderService, type HttpResponse, type Service } from "async-request-reply";
import { deepEqual, equal, ok } from "../../../../src/testing/expect.js";
import { signalOf } from "../../signal.js";
import type { AdapterCase, AdapterHarness, Mounted, WireConnection } from "../fixtures/adapter-case.js";
import { casesOf } from "../fixtures/cases-of.js";
import { request } from "../fixtures/orders-fixture.js";
import { checkStatus } from "../fixtures/reply-checks.js";

const RULE = "docs/frameworks.md, streams";
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const events = request("GET", "/events");

/** Source of a body and its state. */
interface Source {
  readonly body: NonNullable<HttpResponse["body"]>;
  /** Resolves when the source has been released. */
  readonly released: Promise<void>;
}

type CreateSource = (chunks: readonly string[], end: "finish" | "stall") => Source;

/** Both kinds of streams that a body can be. */
const sources: Readonly<Record<string, CreateSource>> = {
  "an async iterable": (chunks, end) => {
    const { promise: released, resolve } = signalOf();
    const rest = [...chunks];
    const next = async (): Promise<IteratorResult<Uint8Array>> => {
      const chunk = rest.shift();
      if (chunk !== undefined) return { done: false, value: encode(chunk) };
      return end === "finish" ? { done: true, value: undefined } : new Promise(() => {});
    };
    const iterator = {
      next,
      return: async () => {
        resolve();
        return { done: true, value: undefined } as const;
      },
    };
    return { body: { [Symbol.asyncIterator]: () => iterator }, released };
  },
  "a ReadableStream": (chunks, end) => {
    const { promise: released, resolve } = signalOf();
    const rest = [...chunks];
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const chunk = rest.shift();
        if (chunk !== undefined) controller.enqueue(encode(chunk));
        else if (end === "finish") controller.close();
      },
      cancel: resolve,
    });
    return { body, released };
  },
};

/** Streamed reply bodies, and clients that disconnect. */
export const streamCases = [
  ...Object.entries(sources).flatMap(([what, createSource]): AdapterCase[] => [
    {
      name: `sends a body that is ${what} to its end`,
      rule: RULE,
      needs: ["streams"],
      run: async (harness) => {
        const { body } = createSource(["first", " second"], "finish");
        const { send } = await mountReply(harness, async () => ({ status: 200, headers: {}, body }));
        const reply = await send(events);
        checkStatus(reply, 200);
        equal(reply.body, "first second", "the body");
      },
    },
    {
      name: `releases a body that is ${what} if the client disconnects while the body waits for data`,
      rule: RULE,
      needs: ["streams", "sockets"],
      run: async (harness) => {
        const { body, released } = createSource(["first"], "stall");
        const { connection } = await openTo(harness, async () => ({ status: 200, headers: {}, body }));
        await connection.write(events);
        await connection.readUntil("first");
        connection.abort();
        await released;
      },
    },
    {
      name: `releases a body that is ${what} if the client disconnects before it starts`,
      rule: RULE,
      needs: ["streams", "sockets"],
      run: async (harness) => {
        const { body, released } = createSource(["first"], "stall");
        const asked = signalOf();
        const { connection } = await openTo(harness, async (context) => {
          asked.resolve();
          await aborted(context?.signal);
          return { status: 200, headers: {}, body };
        });
        await connection.write(events);
        await asked.promise;
        connection.abort();
        await released;
      },
    },
  ]),
  ...casesOf(
    {
      [RULE]: {
        "aborts the signal of a request if the client disconnects before the reply": async (harness) => {
          const asked = signalOf();
          const gone = signalOf();
          const { connection } = await openTo(harness, async (context) => {
            asked.resolve();
            await aborted(context?.signal);
            gone.resolve();
            return { status: 204, headers: {} };
          });
          await connection.write(events);
          await asked.promise;
          connection.abort();
          await gone.promise;
        },
        "aborts the signal of a request if the client disconnects in the middle of the reply": async (
          harness,
        ) => {
          const gone = signalOf();
          const { body } = (sources["a ReadableStream"] as CreateSource)(["first"], "stall");
          const { connection } = await openTo(harness, async (context) => {
            void aborted(context?.signal).then(gone.resolve);
            return { status: 200, headers: {}, body };
          });
          await connection.write(events);
          await connection.readUntil("first");
          connection.abort();
          await gone.promise;
        },
        "does not abort the signal of a request if the client disconnects after the reply": async (
          harness,
        ) => {
          const signals: (AbortSignal | undefined)[] = [];
          const { connection } = await openTo(harness, async (context) => {
            signals.push(context?.signal);
            return { status: 200, headers: { "content-length": "2" }, body: "ok" };
          });
          await connection.write(events);
          checkStatus(await connection.read(), 200);
          connection.abort();
          await connection.closed;
          // A second connection is closed after the first one.
          const { connection: second } = await openTo(harness, async () => ({ status: 204, headers: {} }));
          await second.write(events);
          checkStatus(await second.read(), 204);
          const aborted = signals.map((signal) => signal?.aborted);
          deepEqual(aborted, [false], "the signals");
        },
      },
    },
    ["streams", "sockets"],
  ),
];

type Handle = Service["handle"];

/** Mounts a service that answers every request in this way. */
function mountReply(
  harness: AdapterHarness,
  reply: (context: Parameters<Handle>[1]) => Promise<HttpResponse>,
): Promise<Mounted> {
  const service: Service = createOrderService({ authorize: allowAnonymous() });
  return harness.mount({ ...service, handle: (_, context) => reply(context) });
}

async function openTo(
  harness: AdapterHarness,
  reply: (context: Parameters<Handle>[1]) => Promise<HttpResponse>,
): Promise<{ readonly connection: WireConnection }> {
  const { open } = await mountReply(harness, reply);
  const connection = await open?.();
  ok(connection !== undefined, "the transport should have sockets");
  return { connection: connection as WireConnection };
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve();
    else signal?.addEventListener("abort", () => resolve());
  });
}

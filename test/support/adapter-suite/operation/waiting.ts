import { deepEqual, ok } from "../../../../src/testing/expect.js";
import { claimOne } from "../../claims.js";
import type { AdapterCase, AdapterHarness, WireConnection } from "../fixtures/adapter-case.js";
import { mountOrders, type Options, type Orders, request, submission } from "../fixtures/orders-fixture.js";
import { watchReads } from "../fixtures/reads.js";
import {
  checkFields,
  checkStatus,
  field,
  jsonOf,
  operationIdOf,
  WHOLE_SECONDS,
} from "../fixtures/reply-checks.js";

const RULE = "RFC 7240 §4.3";
const WAITED = { vary: "accept, prefer", "preference-applied": "wait=20" };
const NOT_WAITED = { vary: "accept", "preference-applied": undefined };
const prefer = "wait=20";

/** A service with a pending operation. */
interface Pending extends Orders {
  readonly operationId: string;
  readonly path: string;
  /** Resolves when a request has read the operation. */
  readonly read: Promise<void>;
}

async function mountPending(harness: AdapterHarness, options: Options = {}): Promise<Pending> {
  const { backend, read } = watchReads(harness.createBackend(), "get");
  const orders = await mountOrders(harness, { ...options, backend });
  const operationId = operationIdOf(await orders.send(submission()));
  return { ...orders, operationId, path: `/operations/${operationId}`, read };
}

/** Values of `Prefer` that mean `wait=5`. */
const understood: readonly (string | readonly string[])[] = [
  "wait=5",
  "WAIT=5",
  'wait="5"',
  "respond-async, wait = 5",
  "wait=5; unknown=x",
  "wait=5, wait=7",
  ["respond-async", "wait=5"],
  ["wait=5", "wait=nonsense"],
  'x="a, wait=7", wait=5',
  "waiting=7, wait=5",
];

/** Values of `Prefer` that mean no wait. */
const ignored: readonly (string | readonly string[])[] = [
  "",
  ",;=",
  "respond-async",
  "unheard-of; a=b",
  "wait",
  "wait=0",
  "wait=",
  "wait=-1",
  "wait=1.5",
  "wait=5 5",
  'wait="5',
  'x="wait=5"',
  "x; wait=5",
  "wait=0, wait=5",
  ["wait=nonsense", "wait=5"],
];

/** GET with `Prefer: wait` on the status endpoint. */
export const waitingCases: readonly AdapterCase[] = [
  {
    name: "answers a GET that prefers to wait when the operation ends",
    rule: RULE,
    run: async (harness) => {
      const { send, path, read, work } = await mountPending(harness);
      const waiting = send(request("GET", path, { prefer }));
      await read;
      await work(() => ({ shipped: 2 }));
      const reply = await waiting;
      checkStatus(reply, 200);
      checkFields(reply, { ...WAITED, "retry-after": undefined, "cache-control": "private, no-cache" });
      const plain = await send(request("GET", path));
      checkFields(plain, NOT_WAITED);
      deepEqual([reply.body, field(reply, "etag")], [plain.body, field(plain, "etag")], "the representation");
    },
  },
  {
    name: "answers a GET with a current tag that prefers to wait when the operation changes",
    rule: RULE,
    run: async (harness) => {
      const { send, path, backend, operationId } = await mountPending(harness);
      const etag = field(await send(request("GET", path)), "etag") ?? "";
      const waiting = send(request("GET", path, { prefer, "if-none-match": etag }));
      const lease = { operationId, token: "token-of-this-attempt" };
      await claimOne(backend.operations, operationId, { token: lease.token, leaseMs: 60_000 });
      const reply = await waiting;
      checkStatus(reply, 200);
      checkFields(reply, { ...WAITED, "retry-after": WHOLE_SECONDS });
      const { status, attempt } = jsonOf(reply);
      deepEqual({ status, attempt }, { status: "pending", attempt: 1 }, "the operation");
    },
  },
  {
    name: "answers a GET that prefers to wait with the current state once the time is over",
    rule: RULE,
    run: async (harness) => {
      const { send, path } = await mountPending(harness, { maxWaitMs: 1 });
      const applied = { ...WAITED, "preference-applied": "wait=1", "retry-after": WHOLE_SECONDS };
      const reply = await send(request("GET", path, { prefer }));
      checkStatus(reply, 200);
      checkFields(reply, applied);
      deepEqual(jsonOf(reply).status, "pending", "the status");
      const etag = field(reply, "etag") ?? "";
      const unchanged = await send(request("GET", path, { prefer, "if-none-match": etag }));
      checkStatus(unchanged, 304);
      checkFields(unchanged, { ...applied, etag });
    },
  },
  {
    name: "answers a GET that prefers to wait at once if there is nothing to wait for",
    rule: RULE,
    run: async (harness) => {
      const { send, path, work } = await mountPending(harness);
      const changed = await send(request("GET", path, { prefer, "if-none-match": '"other"' }));
      checkStatus(changed, 200);
      checkFields(changed, WAITED);
      await work();
      const ended = await send(request("GET", path, { prefer }));
      checkStatus(ended, 200);
      checkFields(ended, WAITED);
      const etag = field(ended, "etag") ?? "";
      const unchanged = await send(request("GET", path, { prefer, "if-none-match": etag }));
      checkStatus(unchanged, 304);
      checkFields(unchanged, { ...WAITED, etag });
    },
  },
  {
    name: "understands every form of the preference, and waits no longer than maxWaitMs",
    rule: RULE,
    run: async (harness) => {
      const { send, path, work } = await mountPending(harness);
      await work();
      for (const form of understood) {
        const reply = await send(request("GET", path, { prefer: form }));
        checkStatus(reply, 200);
        checkFields(reply, { "preference-applied": "wait=5" });
      }
      const long = await send(request("GET", path, { prefer: "wait=99999999999999999999" }));
      checkFields(long, { "preference-applied": "wait=25" });
    },
  },
  {
    name: "ignores other preferences and malformed ones",
    rule: "RFC 7240 §2",
    run: async (harness) => {
      const { send, path } = await mountPending(harness);
      for (const form of ignored) {
        const reply = await send(request("GET", path, { prefer: form }));
        checkStatus(reply, 200);
        checkFields(reply, NOT_WAITED);
        const accepted = await send(submission({ fields: { prefer: form } }));
        checkStatus(accepted, 202);
        checkFields(accepted, NOT_WAITED);
      }
    },
  },
  {
    name: "never waits for a HEAD, nor for an operation that the tenant does not have",
    rule: RULE,
    run: async (harness) => {
      const { send, path } = await mountPending(harness);
      const head = await send(request("HEAD", path, { prefer }));
      checkStatus(head, 200);
      checkFields(head, NOT_WAITED);
      const foreign = await send(request("GET", path, { prefer, authorization: "Bearer token-of-b" }));
      checkStatus(foreign, 404);
      checkFields(foreign, { "preference-applied": undefined });
    },
  },
  {
    name: "does not wait if maxWaitMs is 0",
    rule: "docs/security.md, limits",
    run: async (harness) => {
      const { send, path } = await mountPending(harness, { maxWaitMs: 0 });
      const reply = await send(request("GET", path, { prefer }));
      checkStatus(reply, 200);
      checkFields(reply, NOT_WAITED);
      const accepted = await send(submission({ fields: { prefer } }));
      checkStatus(accepted, 202);
      checkFields(accepted, NOT_WAITED);
    },
  },
  {
    name: "frees the place of a client that disconnects while it waits, and cancels nothing",
    rule: "docs/contract.md, waiting for the end",
    needs: ["sockets"],
    run: async (harness) => {
      const { send, open, path, read, recorded } = await mountPending(harness, { maxWaiters: 2 });
      const connection = (await open?.()) as WireConnection;
      await connection.write(request("GET", path, { prefer }));
      await read;
      // Answered at once in any case, so it only shows whether there is a place.
      const hasPlace = async (): Promise<boolean> => {
        const reply = await send(request("GET", path, { prefer, "if-none-match": '"other"' }));
        return field(reply, "preference-applied") !== undefined;
      };
      ok(!(await hasPlace()), "expected the waiting client to hold the only place of its tenant");
      connection.abort();
      while (!(await hasPlace())) await connection.closed;
      deepEqual(
        (await recorded()).map(({ state }) => state),
        ["pending"],
        "the states",
      );
    },
  },
];

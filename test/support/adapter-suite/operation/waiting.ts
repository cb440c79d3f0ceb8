import { deepEqual, ok } from "../../../../src/testing/expect.js";
import type { WireConnection } from "../fixtures/adapter-case.js";
import { casesOf } from "../fixtures/cases-of.js";
import { request, submission } from "../fixtures/orders-fixture.js";
import { mountPending } from "../fixtures/pending-fixture.js";
import { checkFields, checkReply, field, jsonOf, WHOLE_SECONDS } from "../fixtures/reply-checks.js";

const RULE = "RFC 7240 §4.3";
const WAITED = { vary: "accept, prefer", "preference-applied": "wait=20" };
const NOT_WAITED = { vary: "accept", "preference-applied": undefined };
const prefer = "wait=20";

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
export const waitingCases = [
  ...casesOf({
    [RULE]: {
      "answers a GET that prefers to wait when the operation ends": async (harness) => {
        const { send, path, read, work } = await mountPending(harness);
        const waiting = send(request("GET", path, { prefer }));
        await read;
        await work(() => ({ shipped: 2 }));
        const reply = await waiting;
        checkReply(reply, 200, { ...WAITED, "retry-after": undefined, "cache-control": "private, no-cache" });
        const plain = await send(request("GET", path));
        checkFields(plain, NOT_WAITED);
        deepEqual(
          [reply.body, field(reply, "etag")],
          [plain.body, field(plain, "etag")],
          "the representation",
        );
      },
      "answers a GET with a current tag that prefers to wait when the operation changes": async (harness) => {
        const { send, path, operationId, begin } = await mountPending(harness);
        const etag = field(await send(request("GET", path)), "etag") ?? "";
        const waiting = send(request("GET", path, { prefer, "if-none-match": etag }));
        await begin(operationId);
        const reply = await waiting;
        checkReply(reply, 200, { ...WAITED, "retry-after": WHOLE_SECONDS });
        const { status, attempt } = jsonOf(reply);
        deepEqual({ status, attempt }, { status: "pending", attempt: 1 }, "the operation");
      },
      "answers a GET that prefers to wait with the current state once the time is over": async (harness) => {
        const { send, path } = await mountPending(harness, { maxWaitMs: 1 });
        const applied = { ...WAITED, "preference-applied": "wait=1", "retry-after": WHOLE_SECONDS };
        const reply = await send(request("GET", path, { prefer }));
        checkReply(reply, 200, applied);
        deepEqual(jsonOf(reply).status, "pending", "the status");
        const etag = field(reply, "etag") ?? "";
        const unchanged = await send(request("GET", path, { prefer, "if-none-match": etag }));
        checkReply(unchanged, 304, { ...applied, etag });
      },
      "answers a GET that prefers to wait at once if there is nothing to wait for": async (harness) => {
        const { send, path, work } = await mountPending(harness);
        const changed = await send(request("GET", path, { prefer, "if-none-match": '"other"' }));
        checkReply(changed, 200, WAITED);
        await work();
        const ended = await send(request("GET", path, { prefer }));
        checkReply(ended, 200, WAITED);
        const etag = field(ended, "etag") ?? "";
        const unchanged = await send(request("GET", path, { prefer, "if-none-match": etag }));
        checkReply(unchanged, 304, { ...WAITED, etag });
      },
      "understands every form of the preference, and waits no longer than maxWaitMs": async (harness) => {
        const { send, path, work } = await mountPending(harness);
        await work();
        for (const form of understood) {
          const reply = await send(request("GET", path, { prefer: form }));
          checkReply(reply, 200, { "preference-applied": "wait=5" });
        }
        const long = await send(request("GET", path, { prefer: "wait=99999999999999999999" }));
        checkFields(long, { "preference-applied": "wait=25" });
      },
      "never waits for a HEAD, nor for an operation that the tenant does not have": async (harness) => {
        const { send, path } = await mountPending(harness);
        checkReply(await send(request("HEAD", path, { prefer })), 200, NOT_WAITED);
        const foreign = await send(request("GET", path, { prefer, authorization: "Bearer token-of-b" }));
        checkReply(foreign, 404, { "preference-applied": undefined });
      },
    },
    "RFC 7240 §2": {
      "ignores other preferences and malformed ones": async (harness) => {
        const { send, path } = await mountPending(harness);
        for (const form of ignored) {
          checkReply(await send(request("GET", path, { prefer: form })), 200, NOT_WAITED);
          checkReply(await send(submission({ fields: { prefer: form } })), 202, NOT_WAITED);
        }
      },
    },
    "docs/security.md, limits": {
      "does not wait if maxWaitMs is 0": async (harness) => {
        const { send, path } = await mountPending(harness, { maxWaitMs: 0 });
        checkReply(await send(request("GET", path, { prefer })), 200, NOT_WAITED);
        checkReply(await send(submission({ fields: { prefer } })), 202, NOT_WAITED);
      },
    },
  }),
  ...casesOf(
    {
      "docs/contract.md, waiting for the end": {
        "frees the place of a client that disconnects while it waits, and cancels nothing": async (
          harness,
        ) => {
          const { open, path, read, states, hasPlace } = await mountPending(harness, { maxWaiters: 2 });
          const connection = (await open?.()) as WireConnection;
          await connection.write(request("GET", path, { prefer }));
          await read;
          ok(!(await hasPlace()), "expected the waiting client to hold the only place of its tenant");
          connection.abort();
          while (!(await hasPlace())) await connection.closed;
          deepEqual(await states(), ["pending"], "the states");
        },
      },
    },
    ["sockets"],
  ),
];

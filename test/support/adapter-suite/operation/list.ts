import { AsyncReplyError } from "async-request-reply";
import { type JsonText, type Operation, problemType } from "async-request-reply/ports";
import { operationError } from "../../../../src/contract/problem.js";
import { deepEqual, equal, ok } from "../../../../src/testing/expect.js";
import { claimOne } from "../../claims.js";
import { interceptBackend } from "../../intercept-backend.js";
import type { AdapterCase, WireResponse } from "../fixtures/adapter-case.js";
import { casesOf } from "../fixtures/cases-of.js";
import { ERRORS, mountOrders, request, submission } from "../fixtures/orders-fixture.js";
import { checkProblem } from "../fixtures/refusal.js";
import {
  checkFields,
  checkReply,
  checkStatus,
  field,
  jsonOf,
  operationIdOf,
} from "../fixtures/reply-checks.js";

const RULE = "docs/contract.md, listing operations";
const LIST = { list: true } as const;
const ofB = { authorization: "Bearer token-of-b" };

/** Invalid queries, each with the parameter that the problem names. */
const refused: Readonly<Record<string, string>> = {
  "state=pending": "unknown parameter",
  "Status=pending": "unknown parameter",
  "status=preparing": "status",
  "status=": "status",
  "status=pending&status=failed": "status",
  "definition=reports": "definition",
  "definition=": "definition",
  "limit=0": "limit",
  "limit=101": "limit",
  "limit=1.0": "limit",
  "limit=-1": "limit",
  "limit=": "limit",
  "cursor=": "cursor",
  "cursor=eyJ9": "cursor",
  "cursor=%ff": "cursor",
  // `1 x`, and the time 1000 in a different spelling.
  "cursor=MSB4": "cursor",
  [`cursor=${btoa("1e3 01980000-0000-7000-8000-000000000000").replaceAll("=", "")}`]: "cursor",
};

/** A tenant lists its own operations. */
export const listCases = [
  ...casesOf({
    [RULE]: {
      "lists the operations of the caller's tenant, newest first": async (harness) => {
        const { send, recorded } = await mountOrders(harness, LIST);
        await send(submission());
        await send(submission({ fields: ofB }));
        await send(submission());
        const reply = await send(request("GET", "/operations"));
        checkReply(reply, 200, {
          "content-type": "application/json",
          "cache-control": "no-store",
          "x-content-type-options": "nosniff",
          vary: "accept",
          link: undefined,
        });
        const ofA = (await recorded()).filter(({ tenant }) => tenant === "a");
        const listed = newestFirst(ofA).map(({ id, createdAt }) => ({
          operationId: id,
          status: "pending",
          definition: "orders",
          createdAt: new Date(createdAt).toISOString(),
          attempt: 0,
        }));
        equal(listed.length, 2, "the number of operations");
        deepEqual(jsonOf(reply), { operations: listed }, "the list");
      },
      "lists operations without their payloads, and failed ones with their errors": async (harness) => {
        const { send, backend } = await mountOrders(harness, LIST);
        const end = async (error?: JsonText): Promise<void> => {
          const operationId = operationIdOf(await send(submission()));
          const lease = { operationId, token: `token-of-${operationId}` };
          await claimOne(backend.operations, operationId, { token: lease.token, leaseMs: 60_000 });
          await backend.operations.renew(lease, { leaseMs: 60_000, progress: '{"packed":1}' });
          await backend.operations.settle(
            lease,
            error === undefined ? { to: "completed", result: '{"shipped":2}' } : { to: "failed", error },
          );
        };
        await end();
        for (const name of ERRORS) await end(operationError(name, "Why it is so."));
        const shown = operationsOf(await send(request("GET", "/operations"))).map((operation) => {
          const { operationId, definition, createdAt, finishedAt, error, ...others } = operation;
          ok(typeof finishedAt === "string", "the operation should have ended");
          const { type = "" } = (error ?? {}) as Readonly<Record<string, unknown>>;
          return JSON.stringify({ ...others, type });
        });
        const failed = ERRORS.map((name) => ({ status: "failed", attempt: 1, type: problemType(name) }));
        const completed = { status: "completed", attempt: 1, type: "" };
        const expected = [completed, ...failed].map((each) => JSON.stringify(each));
        deepEqual(shown.sort(), expected.sort(), "the list");
      },
      "omits operations whose resource is still being created": async (harness) => {
        const create = (): never => {
          throw new Error("the resource cannot be created now");
        };
        const { send } = await mountOrders(harness, { ...LIST, create: create as never });
        checkStatus(await send(submission({ fields: { "idempotency-key": "k" } })), 503);
        deepEqual(operationsOf(await send(request("GET", "/operations"))), [], "the list");
      },
      "shows that the cancellation of a listed operation was requested": async (harness) => {
        const { send, begin } = await mountOrders(harness, { ...LIST, cancellable: true });
        const operationId = operationIdOf(await send(submission()));
        await begin(operationId);
        checkStatus(await send(request("DELETE", `/operations/${operationId}`)), 202);
        const { operations } = jsonOf(await send(request("GET", "/operations")));
        const [{ status, cancelRequested } = {}] = operations as Record<string, unknown>[];
        deepEqual([status, cancelRequested], ["pending", true], "the listed operation");
      },
      "filters the list by definition and status": async (harness) => {
        const { send, work } = await mountOrders(harness, LIST);
        const done = operationIdOf(await send(submission()));
        await work();
        const pending = operationIdOf(await send(submission()));
        const listed = async (query: string): Promise<unknown> =>
          idsOf(await send(request("GET", `/operations?${query}`)));
        deepEqual(await listed("status=pending"), [pending], "the pending operations");
        deepEqual(await listed("status=completed&definition=orders"), [done], "the completed operations");
        deepEqual(await listed("status=failed"), [], "the failed operations");
        const all = (await listed("definition=orders&limit=100")) as string[];
        deepEqual(all.sort(), [done, pending].sort(), "all operations of the definition");
      },
      "lists 20 operations per page by default": async (harness) => {
        const { send } = await mountOrders(harness, LIST);
        for (let count = 0; count < 21; count += 1) await send(submission());
        const reply = await send(request("GET", "/operations"));
        equal(idsOf(reply).length, 20, "the length of the first page");
        const rest = await send(request("GET", nextOf(reply) ?? ""));
        equal(idsOf(rest).length, 1, "the length of the next page");
        checkFields(rest, { link: undefined });
        checkFields(await send(request("GET", "/operations?limit=21")), { link: undefined });
      },
      "serves no list unless the service enables it": async (harness) => {
        const { send } = await mountOrders(harness);
        checkProblem(await send(request("GET", "/operations")), 404, "not-found");
      },
    },
    "RFC 8288 §3": {
      "links pages with Link, and new submissions do not disturb them": async (harness) => {
        const options = { ...LIST, basePath: "/api", statusPath: "/work" };
        const { send, recorded } = await mountOrders(harness, options);
        const submit = (): Promise<WireResponse> => send(submission({ path: "/api/orders" }));
        for (let count = 0; count < 5; count += 1) await submit();
        const expected = newestFirst(await recorded()).map(({ id }) => id);
        const shown: string[] = [];
        let next: string | undefined = "/api/work?status=pending&limit=2";
        while (next !== undefined) {
          const reply = await send(request("GET", next));
          const page = idsOf(reply);
          ok(page.length <= 2, `expected at most 2 operations on a page, got ${page.length}`);
          shown.push(...page);
          next = nextOf(reply);
          if (shown.length < 5) await submit();
        }
        const before = shown.filter((id) => expected.includes(id));
        deepEqual(before, expected, "the operations that existed before");
      },
    },
    "docs/security.md, authorization": {
      "authorizes a list before it checks the query": async (harness) => {
        const asked: unknown[] = [];
        const { send } = await mountOrders(harness, {
          ...LIST,
          authorize: (_, authorization) => {
            asked.push(authorization);
            return undefined;
          },
        });
        checkProblem(await send(request("GET", "/operations?limit=0")), 401, "unauthenticated");
        deepEqual(asked, [{ action: "list", params: {} }], "arguments of authorize");
      },
    },
    "RFC 9110 §9.3": {
      "answers HEAD, OPTIONS and other methods on a list": async (harness) => {
        const { send } = await mountOrders(harness, LIST);
        const head = await send(request("HEAD", "/operations"));
        checkStatus(head, 200);
        equal(head.body, "", "the body");
        checkFields(await send(request("OPTIONS", "/operations")), { allow: "GET, HEAD, OPTIONS" });
        const reply = await send(submission({ path: "/operations" }));
        checkProblem(reply, 405, "method-not-allowed", { allow: "GET, HEAD, OPTIONS" });
      },
    },
    "RFC 9110 §15.6.4": {
      "answers 503 to a list while the store is unavailable": async (harness) => {
        const backend = interceptBackend(harness.createBackend(), ({ method }, proceed) =>
          method === "list"
            ? Promise.reject(new AsyncReplyError("STORE_UNAVAILABLE", "the store is away"))
            : proceed(),
        );
        const { send } = await mountOrders(harness, { ...LIST, backend });
        checkProblem(await send(request("GET", "/operations")), 503, "unavailable");
      },
    },
  }),
  ...Object.entries(refused).map(
    ([query, named]): AdapterCase => ({
      name: `answers 400 to the query ${query} and names the mistake`,
      rule: RULE,
      run: async (harness) => {
        const { send } = await mountOrders(harness, LIST);
        const reply = await send(request("GET", `/operations?${query}`));
        checkProblem(reply, 400, "malformed-request");
        const { detail } = jsonOf(reply);
        ok(String(detail).includes(named), `expected ${named} in the detail, got ${detail}`);
      },
    }),
  ),
];

function newestFirst(operations: readonly Operation[]): readonly Operation[] {
  return [...operations].sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
}

type Shown = Readonly<Record<string, unknown>>;

function operationsOf(reply: WireResponse): readonly Shown[] {
  checkStatus(reply, 200);
  return jsonOf(reply).operations as readonly Shown[];
}

function idsOf(reply: WireResponse): string[] {
  return operationsOf(reply).map(({ operationId }) => String(operationId));
}

/** Returns the target of the link to the next page. */
function nextOf(reply: WireResponse): string | undefined {
  const link = field(reply, "link");
  if (link === undefined) return undefined;
  const [, target] = /^<(\/[^>]+)>; rel="next"$/.exec(link) ?? [];
  ok(target !== undefined, `expected Link to lead to the next page, got ${link}`);
  return target;
}

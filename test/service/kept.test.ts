import {
  allowAnonymous,
  type Backend,
  createMemoryBackend,
  createMemoryStores,
  createService,
  createWorker,
  defineOperation,
} from "async-request-reply";
import { createOperator } from "async-request-reply/operator";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { replacing } from "../support/replacing.js";
import { testMistakes } from "../support/untyped.js";

const input = z.object({ customer: z.string() });
const named = { name: "jobs", path: "/jobs", input } as const;
const plain = [defineOperation(named)] as const;
const authorize = allowAnonymous();

/** Returns a back end whose operation store keeps nothing that a definition can ask for. */
function older(): Backend {
  const backend = createMemoryBackend();
  return { ...backend, operations: replacing(backend.operations, { keeps: [] }) };
}

const sentence = (subject: string, needed: string): string =>
  `${subject}, but the operation store of this back end does not keep ${needed}: its \`keeps\` lacks "${needed}". Leave it ` +
  `out, or use a store that keeps ${needed}, such as that of \`createPostgresBackend({ pool })\`.`;

describe("a store that is older than a promise", () => {
  const asked = [
    ["limits.running", "limits", { limits: { running: 1 } }],
    ["limits.runningPerTenant", "limits", { limits: { runningPerTenant: 1 } }],
    ["serialBy", "lanes", { serialBy: ({ customer }: z.output<typeof input>) => customer }],
    ["startWithinMs", "deadlines", { startWithinMs: 1_000 }],
  ] as const;

  testMistakes(
    asked.flatMap(([option, needed, members]) => {
      const definitions = [defineOperation({ ...named, ...members })] as const;
      const message = sentence(`The definition "jobs" has \`${option}\``, needed);
      const given = { definitions, backend: older() };
      return [
        [`a service with \`${option}\``, message, () => createService({ ...given, authorize })],
        [`a worker with \`${option}\``, message, () => createWorker(given, { jobs: () => undefined })],
      ] as const;
    }),
  );

  it("is refused by a call with a deadline, and takes others", async () => {
    const service = createService({ definitions: plain, authorize, backend: older(), observe: false });
    const submit = (options: object) =>
      service.submit(plain[0], { customer: "a" }, { tenant: "a", ...options });
    await expect(submit({ startWithinMs: 5_000 })).rejects.toMatchObject({
      code: "INVALID_OPTION",
      detail: sentence("The call has `startWithinMs`", "deadlines"),
    });
    await expect(submit({})).resolves.toMatchObject({ status: "pending" });
  });
});

describe("a back end", () => {
  const without = (part: "operations" | "submissions" | "queue", member: string): Backend => {
    const backend = createMemoryBackend();
    const port = new Proxy(backend[part], {
      get: (target, name) => (name === member ? undefined : Reflect.get(target, name)),
    });
    return { ...backend, [part]: port };
  };
  const lacks = (part: string, method: string): string =>
    `The member \`${part}\` of the back end has no method \`${method}\`. Add it: docs/writing-a-back-end.md says what it does.`;

  const serve = (backend: object) =>
    createService({ definitions: plain, authorize, backend: backend as Backend });
  const work = (backend: object) =>
    createWorker({ definitions: plain, backend: backend as Backend }, { jobs: () => undefined });

  testMistakes([
    [
      "of a service whose store cannot list",
      lacks("operations", "list"),
      () => serve(without("operations", "list")),
    ],
    [
      "of a worker whose submissions cannot find keys",
      lacks("submissions", "findKey"),
      () => work(without("submissions", "findKey")),
    ],
    [
      "of an operator whose queue cannot publish",
      lacks("queue", "publish"),
      () => createOperator({ definitions: plain, backend: without("queue", "publish") }),
    ],
    [
      "of a service with two stores, one of which cannot bind keys",
      lacks("idempotency", "bind"),
      () => serve({ ...createMemoryStores(), idempotency: {} }),
    ],
    [
      "of a service with two stores, one of which hands out no expired operations",
      lacks("operations", "takeExpired"),
      () => serve({ ...createMemoryStores(), operations: without("operations", "takeExpired").operations }),
    ],
    [
      "of a worker with two stores",
      "The back end has no `submissions`. Pass `composeStores({ operations, idempotency, queue })`.",
      () => work(createMemoryStores()),
    ],
    [
      "that records in one step, and has another store of keys",
      "The back end has both `submissions` and `idempotency`. Leave out `submissions` to use two stores that share no transaction, " +
        "or `idempotency` if they do.",
      () => serve({ ...createMemoryBackend(), idempotency: createMemoryStores().idempotency }),
    ],
    [
      "whose store does not say what it keeps",
      'The member `operations` of the back end has no list `keeps`. Say what it keeps, such as `keeps: ["limits"]`, or `keeps: []`.',
      () => serve(without("operations", "keeps")),
    ],
  ]);
});

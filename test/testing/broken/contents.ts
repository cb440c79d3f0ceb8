import type { IdempotencyStore, OperationStore } from "async-request-reply";
import type { Operation, Submissions } from "async-request-reply/ports";
import { beginning } from "../changed-claims.js";
import type { BrokenPort } from "./prove.js";
import type { TrackedStore } from "./tracked-store.js";

/** Builds a store that changes operations when it reads them. */
function reading(change: (operation: Operation) => Operation): BrokenPort<TrackedStore>["methods"] {
  return (store): Partial<OperationStore> => ({
    get: async (id, tenant) => {
      const operation = await store.get(id, tenant);
      return operation && change(operation);
    },
  });
}

/** Operation stores that change the contents they store. */
export const changingStores: readonly BrokenPort<TrackedStore>[] = [
  ...(["input", "result", "error", "progress", "resource"] as const).map((member) => ({
    name: `replaces every ${member} by null`,
    caughtBy: [`contents.${member}`],
    methods: reading((operation) =>
      operation[member] === undefined ? operation : { ...operation, [member]: "null" },
    ),
  })),
  {
    name: "replaces all metadata by null",
    caughtBy: ["contents.meta"],
    methods: reading((operation) =>
      operation.meta === undefined ? operation : { ...operation, meta: "null" },
    ),
  },
  {
    name: "reformats the input of follow-ups",
    caughtBy: ["contents.meta"],
    methods: (store) => ({
      create: ({ onEnd, ...operation }, initial) => {
        if (onEnd === undefined) return store.create(operation, initial);
        const input = JSON.stringify(JSON.parse(onEnd.input));
        return store.create({ ...operation, onEnd: { ...onEnd, input } }, initial);
      },
    }),
  },
  {
    name: "hands out operations to workers without their principal",
    caughtBy: ["contents.principal", "contents.principal-initial", "redrive.principal"],
    methods: (store) => ({
      claim: beginning(store, ({ operation: { principal: _, ...operation }, ...begun }) => ({
        ...begun,
        operation,
      })),
    }),
  },
  {
    name: "names a principal for submissions that name none",
    caughtBy: ["contents.principal", "create.new", "redrive.principal"],
    methods: (store) => ({
      create: (operation, initial) => store.create({ principal: "anonymous", ...operation }, initial),
    }),
  },
  {
    name: "forgets which operation a successor runs again",
    caughtBy: ["contents.retry-of"],
    methods: reading(({ retryOf: _, ...operation }) => operation),
  },
  {
    name: "confuses a null result with a missing result",
    caughtBy: ["contents.result"],
    methods: reading(({ result, ...operation }) =>
      result === undefined || result === "null" ? operation : { ...operation, result },
    ),
  },
  {
    name: "truncates values of the maximum length",
    caughtBy: ["contents.result"],
    methods: reading(({ result, ...operation }) =>
      result === undefined ? operation : { ...operation, result: result.slice(0, 65_535) },
    ),
  },
  {
    name: "reformats progress",
    caughtBy: ["contents.progress"],
    methods: reading(({ progress, ...operation }) =>
      progress === undefined ? operation : { ...operation, progress: JSON.stringify(JSON.parse(progress)) },
    ),
  },
  {
    name: "passes null to workers as input",
    caughtBy: ["contents.input"],
    methods: (store) => ({
      claim: beginning(store, ({ operation, ...begun }) => ({
        ...begun,
        operation: { ...operation, input: "null" },
      })),
    }),
  },
  {
    name: "confuses the key NULL with a missing key",
    caughtBy: ["contents.key"],
    methods: reading(({ key, ...operation }) =>
      key === undefined || key === "NULL" ? operation : { ...operation, key },
    ),
  },
  {
    name: "trims spaces at the ends of the keys that it hands out",
    caughtBy: ["retention.keys"],
    methods: (store) => ({
      takeExpired: async (request) =>
        (await store.takeExpired(request)).map(({ key = "", ...operation }) => ({
          ...operation,
          key: key.trim(),
        })),
    }),
  },
];

/** Idempotency stores that change keys. */
export const changingBindingStores: readonly BrokenPort<IdempotencyStore>[] = [
  {
    name: "treats a backslash in a key as an escape",
    caughtBy: ["contents.bound"],
    methods: (store) => ({
      takeStale: async (request) =>
        (await store.takeStale(request)).map((binding) => ({
          ...binding,
          key: binding.key.replaceAll(/\\(.)/g, "$1"),
        })),
    }),
  },
];

/** Atomic submissions that change what they record. */
export const changingSubmissions: readonly BrokenPort<Submissions<unknown>>[] = [
  {
    name: "returns a reformatted input to repeated submissions",
    caughtBy: ["contents.recorded"],
    methods: (submissions) => ({
      record: async (submission) => {
        const result = await submissions.record(submission);
        if (result.outcome !== "exists") return result;
        const input = JSON.stringify(JSON.parse(result.operation.input));
        return { ...result, operation: { ...result.operation, input } };
      },
    }),
  },
  {
    name: "replaces the principal of an operation by that of the last submission with its key",
    caughtBy: ["record.principal"],
    methods: (submissions) => ({
      record: async (submission) => {
        const result = await submissions.record(submission);
        if (result.outcome !== "exists") return result;
        const { principal: _, ...operation } = result.operation;
        const { principal } = submission.operation;
        return {
          ...result,
          operation: principal === undefined ? operation : { ...operation, principal },
        };
      },
    }),
  },
  {
    name: "returns no key to repeated submissions",
    caughtBy: ["contents.recorded"],
    methods: (submissions) => ({
      record: async (submission) => {
        const result = await submissions.record(submission);
        if (result.outcome !== "exists") return result;
        const { key: _, ...operation } = result.operation;
        return { ...result, operation };
      },
    }),
  },
];

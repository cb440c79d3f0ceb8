import type { IdempotencyStore } from "async-request-reply";
import type { Submissions } from "async-request-reply/ports";
import { beginning, creating, reading } from "../changed-calls.js";
import { caughtBy, named } from "./prove.js";
import { repeating } from "./recorder.js";
import type { TrackedStore } from "./tracked-store.js";

/** Operation stores that change the contents they store. */
export const changingStores = [
  ...(["input", "result", "error", "progress", "resource"] as const).map((member) => ({
    name: `replaces every ${member} by null`,
    ...caughtBy<TrackedStore>([`contents.${member}`], (store) =>
      reading(store, (operation) =>
        operation[member] === undefined ? operation : { ...operation, [member]: "null" },
      ),
    ),
  })),
  ...named<TrackedStore>({
    "replaces all metadata by null": caughtBy(["contents.meta"], (store) =>
      reading(store, (operation) =>
        operation.meta === undefined ? operation : { ...operation, meta: "null" },
      ),
    ),
    "reformats the input of follow-ups": caughtBy(["contents.meta"], (store) => ({
      create: ({ onEnd, ...operation }, initial) => {
        if (onEnd === undefined) return store.create(operation, initial);
        const input = JSON.stringify(JSON.parse(onEnd.input));
        return store.create({ ...operation, onEnd: { ...onEnd, input } }, initial);
      },
    })),
    "hands out operations to workers without their principal": caughtBy(
      ["contents.principal", "contents.principal-initial", "redrive.principal"],
      (store) =>
        beginning(store, ({ operation: { principal: _, ...operation }, ...begun }) => ({
          ...begun,
          operation,
        })),
    ),
    "names a principal for submissions that name none": caughtBy(
      ["contents.principal", "create.new", "redrive.principal"],
      (store) => creating(store, (operation) => ({ principal: "anonymous", ...operation })),
    ),
    "forgets which operation a successor runs again": caughtBy(["contents.retry-of"], (store) =>
      reading(store, ({ retryOf: _, ...operation }) => operation),
    ),
    "confuses a null result with a missing result": caughtBy(["contents.result"], (store) =>
      reading(store, ({ result, ...operation }) =>
        result === undefined || result === "null" ? operation : { ...operation, result },
      ),
    ),
    "truncates values of the maximum length": caughtBy(["contents.result"], (store) =>
      reading(store, ({ result, ...operation }) =>
        result === undefined ? operation : { ...operation, result: result.slice(0, 65_535) },
      ),
    ),
    "reformats progress": caughtBy(["contents.progress"], (store) =>
      reading(store, ({ progress, ...operation }) =>
        progress === undefined ? operation : { ...operation, progress: JSON.stringify(JSON.parse(progress)) },
      ),
    ),
    "passes null to workers as input": caughtBy(["contents.input"], (store) =>
      beginning(store, ({ operation, ...begun }) => ({
        ...begun,
        operation: { ...operation, input: "null" },
      })),
    ),
    "confuses the key NULL with a missing key": caughtBy(["contents.key"], (store) =>
      reading(store, ({ key, ...operation }) =>
        key === undefined || key === "NULL" ? operation : { ...operation, key },
      ),
    ),
    "trims spaces at the ends of the keys that it hands out": caughtBy(["retention.keys"], (store) => ({
      takeExpired: async (request) =>
        (await store.takeExpired(request)).map(({ key = "", ...operation }) => ({
          ...operation,
          key: key.trim(),
        })),
    })),
  }),
];

/** Idempotency stores that change keys. */
export const changingBindingStores = named<IdempotencyStore>({
  "treats a backslash in a key as an escape": caughtBy(["contents.bound"], (store) => ({
    takeStale: async (request) =>
      (await store.takeStale(request)).map((binding) => ({
        ...binding,
        key: binding.key.replaceAll(/\\(.)/g, "$1"),
      })),
  })),
});

/** Atomic submissions that change what they record. */
export const changingSubmissions = named<Submissions<unknown>>({
  "returns a reformatted input to repeated submissions": caughtBy(["contents.recorded"], (submissions) =>
    repeating(submissions, (result) => {
      const input = JSON.stringify(JSON.parse(result.operation.input));
      return { ...result, operation: { ...result.operation, input } };
    }),
  ),
  "replaces the principal of an operation by that of the last submission with its key": caughtBy(
    ["record.principal"],
    (submissions) =>
      repeating(submissions, ({ operation: { principal: _, ...operation }, ...result }, submission) => {
        const { principal } = submission.operation;
        return { ...result, operation: principal === undefined ? operation : { ...operation, principal } };
      }),
  ),
  "returns no key to repeated submissions": caughtBy(["contents.recorded"], (submissions) =>
    repeating(submissions, ({ operation: { key: _, ...operation }, ...result }) => ({
      ...result,
      operation,
    })),
  ),
});

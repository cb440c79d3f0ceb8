import type { IdempotencyStore } from "async-request-reply";
import type { BindResult, KeyBinding, Submission, Submissions } from "async-request-reply/ports";
import { replacing } from "../support/replacing.js";
import { looseKeys } from "./loose-keys.js";
import { inStores, type PlantedStore } from "./planted-stores.js";

/** Back ends that confuse payloads, or the submissions of a list. */
export const plantedSubmissions: Readonly<Record<string, PlantedStore>> = {
  "a key accepts every payload": binding(
    /I14: payload .* was accepted as .*, which has payload/,
    (result, { fingerprint }) => ({ ...result, fingerprint }),
  ),

  "a key is refused for its own payload": binding(
    /I14: key .* was refused for its own payload/,
    (result) => ({ ...result, fingerprint: `${result.fingerprint} of another` }),
  ),

  "a list loses its last submission": recordingLists(
    /I2: .* was not found before it expired/,
    async (list, recordMany) => [...(await recordMany(list.slice(0, -1))), { outcome: "created" }],
  ),

  "a list that is repeated creates its operations again": recordingLists(
    /I1: key .* belongs to .* and to/,
    async (list, recordMany, idempotency) => {
      for (const { operation } of list) {
        const { tenant, definition, key = "" } = operation;
        const held = await idempotency.find({ tenant, definition, key });
        if (held !== undefined) await idempotency.release({ tenant, definition, key, ...held });
      }
      return recordMany(list);
    },
  ),

  "the answers of a list are in another order": recordingLists(/I(1|8|14): /, async (list, recordMany) =>
    (await recordMany(list)).toReversed(),
  ),
};

type Bound = Extract<BindResult, { readonly outcome: "exists" }>;

/** Changes what a store returns for a key that already has an operation. */
function binding(violation: RegExp, change: (result: Bound, binding: KeyBinding) => Bound): PlantedStore {
  const create = inStores((_, idempotency) => ({
    idempotency: {
      bind: async (request) => {
        const result = await idempotency.bind(request);
        return result.outcome === "exists" ? change(result, request) : result;
      },
    },
  }));
  return { create, violation };
}

type RecordMany = Submissions<never>["recordMany"];

/** Changes how a back end records several submissions. */
function recordingLists(
  violation: RegExp,
  change: (
    list: readonly Submission[],
    recordMany: RecordMany,
    idempotency: IdempotencyStore,
  ) => ReturnType<RecordMany>,
): PlantedStore {
  const create: PlantedStore["create"] = (clock) => {
    const { operations, idempotency, queue, submissions } = looseKeys(clock);
    const correct: RecordMany = (list) => submissions.recordMany(list);
    const recordMany: RecordMany = (list) => change(list, correct, idempotency);
    return {
      operations,
      submissions: replacing(submissions, { recordMany }),
      queue,
      check: async () => {},
      close: () => queue.close(),
    };
  };
  return { create, violation };
}

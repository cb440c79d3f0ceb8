import type { Settlement } from "../../../../contract/operation.js";
import type { OperationStore } from "../../../../ports/operation-store.js";
import { deepEqual, equal, isOutcome } from "../../../expect.js";
import { JSON_TEXTS, KEYS, PRINCIPALS } from "../../contents.js";
import { newFollowUp } from "../attempt/on-end.js";
import {
  begin,
  createPending,
  createPreparing,
  createWorking,
  ERROR,
  LONG_MS,
  newId,
  newOperation,
  type OperationStoreCheck,
  PREPARED,
  read,
} from "../fixtures.js";

/**
 * Settles many attempts concurrently and checks that each operation has its own text. An operation settled without a
 * text must have none.
 */
async function settleAll(
  store: OperationStore,
  member: "result" | "error",
  settlementOf: (text: string) => Settlement,
): Promise<void> {
  const texts = member === "result" ? [...JSON_TEXTS, undefined] : JSON_TEXTS;
  await Promise.all(
    texts.map(async (text) => {
      const { operation, lease } = await createWorking(store);
      const settlement = text === undefined ? ({ to: "completed" } as const) : settlementOf(text);
      isOutcome(await store.settle(lease, settlement), "settled", `settling with ${shown(text)}`);
      equal((await read(store, operation))[member], text, `the ${member} ${shown(text)}`);
    }),
  );
}

function shown(text: string | undefined): string {
  return `${text?.slice(0, 50)} of ${text?.length} characters`;
}

/** Stored texts come back unchanged, also when many calls share a statement. */
export const contentChecks: readonly OperationStoreCheck[] = [
  {
    rule: "contents.input",
    name: "stores inputs of every JSON type exactly, for readers and workers",
    check: async (store) => {
      await Promise.all(
        JSON_TEXTS.map(async (input) => {
          const operation = await createPending(store, { input });
          equal((await read(store, operation)).input, input, `the input ${shown(input)}, read`);
          const begun = await begin(store, operation.id);
          equal(begun.operation.input, input, `the input ${shown(input)}, begun`);
        }),
      );
    },
  },
  {
    rule: "contents.result",
    name: "stores results of every JSON type exactly, and distinguishes a missing result",
    check: (store) => settleAll(store, "result", (result) => ({ to: "completed", result })),
  },
  {
    rule: "contents.error",
    name: "stores errors exactly",
    check: (store) => settleAll(store, "error", (error) => ({ to: "failed", error })),
  },
  {
    rule: "contents.progress",
    name: "stores progress of every JSON type exactly and keeps it when a renewal has none",
    check: async (store) => {
      await Promise.all(
        JSON_TEXTS.map(async (progress) => {
          const { operation, lease } = await createWorking(store);
          await store.renew(lease, { leaseMs: LONG_MS, progress });
          equal((await read(store, operation)).progress, progress, `the progress ${shown(progress)}`);
          await store.renew(lease, { leaseMs: LONG_MS });
          equal((await read(store, operation)).progress, progress, "the progress after another renewal");
        }),
      );
    },
  },
  {
    rule: "contents.resource",
    name: "stores resources exactly until the end of the operation",
    check: async (store) => {
      await Promise.all(
        JSON_TEXTS.map(async (resource) => {
          const { operation, lease } = await createPreparing(store, LONG_MS);
          await store.settle(lease, { to: "prepared", resource });
          const prepared = await begin(store, operation.id);
          equal(prepared.operation.resource, resource, `the resource ${shown(resource)}, begun`);
          await store.settle(prepared.lease, { to: "completed", result: "{}" });
          equal((await read(store, operation)).resource, resource, `the resource ${shown(resource)}, read`);
        }),
      );
    },
  },
  {
    rule: "contents.meta",
    name: "stores metadata and the input of a follow-up exactly, and returns the follow-up with its operation",
    check: async (store) => {
      await Promise.all(
        JSON_TEXTS.map(async (text) => {
          const onEnd = newFollowUp({ input: text });
          const operation = await createPending(store, { meta: text, onEnd });
          for (const found of [await read(store, operation), (await begin(store, operation.id)).operation])
            deepEqual([found.meta, found.onEnd], [text, onEnd], `metadata and follow-up ${shown(text)}`);
          const cancelled = await createPending(store, { onEnd });
          await store.requestCancel(cancelled.id, cancelled.tenant);
          const followUp = (await begin(store, onEnd.id, { name: onEnd.definition })).operation;
          equal(followUp.input, text, `the input of the follow-up ${shown(text)}`);
        }),
      );
    },
  },
  {
    rule: "contents.retry-of",
    name: "stores the id of the operation that a successor runs again",
    check: async (store) => {
      const retryOf = newId();
      const operation = await createPending(store, { retryOf });
      equal((await read(store, operation)).retryOf, retryOf, "`retryOf`");
    },
  },
  {
    rule: "contents.key",
    name: "stores keys of all printable ASCII characters exactly",
    check: async (store) => {
      const created = await Promise.all(KEYS.map((key) => createPending(store, { key })));
      for (const [index, operation] of created.entries())
        equal((await read(store, operation)).key, KEYS[index], "the key, read");
    },
  },
  {
    rule: "contents.principal",
    name: "stores ids of principals exactly, for readers and workers, and none if the submission names none",
    check: async (store) => {
      await Promise.all(
        [...PRINCIPALS, undefined].map(async (principal) => {
          const operation = await createPending(store, principal === undefined ? {} : { principal });
          const { lease, ...begun } = await begin(store, operation.id);
          equal(begun.operation.principal, principal, "the principal, begun");
          await store.settle(lease, { to: "completed" });
          equal((await read(store, operation)).principal, principal, "the principal, read after the end");
        }),
      );
    },
  },
  {
    rule: "contents.principal-initial",
    name: "stores the principal of an operation that begins as preparing or failed, and none in its follow-up",
    check: async (store) => {
      const { operation, lease } = await createPreparing(store, LONG_MS, { principal: "ann" });
      equal((await read(store, operation)).principal, "ann", "the principal while preparing");
      isOutcome(await store.settle(lease, PREPARED), "settled", "preparing");
      equal((await begin(store, operation.id)).operation.principal, "ann", "the principal, prepared");
      const onEnd = newFollowUp();
      const failed = newOperation({ principal: "bob", onEnd });
      await store.create(failed, { state: "failed", error: ERROR });
      equal((await read(store, failed)).principal, "bob", "the principal of a failed operation");
      equal(
        (await begin(store, onEnd.id, { name: onEnd.definition })).operation.principal,
        undefined,
        "the principal of the follow-up",
      );
    },
  },
];

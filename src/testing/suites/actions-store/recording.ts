import { deepEqual, equal } from "../../expect.js";
import { createPending } from "../operation-store/fixtures.js";
import { concurrently } from "../port-case.js";
import { type ActionsStoreCheck, ALL, idsOf, newAction } from "./fixtures.js";

const OPERATION = "01900000-0000-7000-8000-000000000001";

export const recordingChecks: readonly ActionsStoreCheck[] = [
  {
    rule: "actions.record.everything",
    name: "keeps every member, and leaves out those that were not given",
    check: async ({ actions }) => {
      const full = newAction({
        action: "cancel",
        definition: "orders",
        operationId: OPERATION,
        by: "ann 'quoted' \u{1F600}",
        via: "console",
        facts: JSON.stringify({ outcome: "cancelled", note: "a\0b\ud800" }),
      });
      const bare = newAction({ action: "redrive-many" });
      for (const action of [full, bare]) {
        await actions.record(action);
        const found = (await actions.list(ALL)).filter(({ id }) => id === action.id);
        const shown = found.map(({ at: _, ...rest }) => rest);
        deepEqual(shown, [action], "what was recorded");
      }
    },
  },
  {
    rule: "actions.record.time",
    name: "records the time of the store",
    check: async (backend) => {
      const { id, tenant } = await createPending(backend.operations);
      const { createdAt = 0 } = (await backend.operations.get(id, tenant)) ?? {};
      await backend.actions.record(newAction());
      const [recorded] = await backend.actions.list(ALL);
      const late = (recorded?.at ?? 0) - createdAt;
      equal(late >= 0 && late < 60_000, true, "whether an operation and an action have the same time");
    },
  },
  {
    rule: "actions.record.repeated",
    name: "records an action once, however often the call is repeated, and keeps its newest facts",
    check: async ({ actions }, time) => {
      const action = newAction({ by: "ann", facts: '{"redriven":1}' });
      await concurrently(4, () => actions.record(action));
      const [first, ...others] = await actions.list(ALL);
      equal(others.length, 0, "the number of other actions");
      await time.pass(time.unitMs);
      await actions.record({
        ...action,
        action: "resume",
        definition: "orders",
        by: "bob",
        facts: '{"redriven":2}',
      });
      deepEqual(await actions.list(ALL), [{ ...first, facts: '{"redriven":2}' }], "the action after it");
    },
  },
  {
    rule: "actions.list.order",
    name: "lists the newest first, those of one time by their ids, and at most as many as asked for",
    check: async ({ actions }, time) => {
      const recorded: string[] = [];
      for (let index = 0; index < 4; index += 1) {
        const action = newAction();
        await actions.record(action);
        recorded.unshift(action.id);
        await time.pass(2 * time.unitMs);
      }
      deepEqual(idsOf(await actions.list(ALL)), recorded, "all of them");
      deepEqual(idsOf(await actions.list({ limit: 3 })), recorded.slice(0, 3), "three of them");
      await concurrently(8, () => actions.record(newAction()));
      const listed = await actions.list(ALL);
      const sorted = listed.toSorted((one, other) => other.at - one.at || (one.id < other.id ? 1 : -1));
      deepEqual(idsOf(listed), idsOf(sorted), "the order of actions of one time");
    },
  },
  {
    rule: "actions.list.filter",
    name: "lists the actions of a definition, of an operation, or of both",
    check: async ({ actions }) => {
      const [pause, cancel, other, many] = [
        newAction({ definition: "orders" }),
        newAction({ action: "cancel", definition: "orders", operationId: OPERATION }),
        newAction({ action: "redrive", definition: "reports", operationId: OPERATION }),
        newAction({ action: "redrive-many" }),
      ] as const;
      for (const action of [pause, cancel, other, many]) await actions.record(action);
      const listed = async (filter: { readonly definition?: string; readonly operationId?: string }) =>
        idsOf(await actions.list({ ...filter, ...ALL })).toSorted();
      const expected = (...some: readonly { readonly id: string }[]) => idsOf(some).toSorted();
      deepEqual(await listed({ definition: "orders" }), expected(pause, cancel), "those of a definition");
      deepEqual(await listed({ operationId: OPERATION }), expected(cancel, other), "those of an operation");
      const both = { definition: "orders", operationId: OPERATION };
      deepEqual(await listed(both), expected(cancel), "those of both");
      deepEqual(await listed({ definition: "invoices" }), [], "those of a definition without any");
    },
  },
  {
    rule: "actions.list.range",
    name: "lists the actions of a range, without those at its end",
    check: async ({ actions }, time) => {
      const about = { definition: "orders", operationId: OPERATION };
      for (let index = 0; index < 3; index += 1) {
        await actions.record(newAction(about));
        await time.pass(2 * time.unitMs);
      }
      const times = (await actions.list(ALL)).map(({ at }) => at);
      const [last = 0, middle = 0, first = 0] = times;
      for (const filter of [{}, about, { definition: "orders" }]) {
        const listed = async (range: { readonly from?: number; readonly to?: number }) =>
          (await actions.list({ ...filter, ...range, ...ALL })).map(({ at }) => at);
        deepEqual(await listed({ from: middle }), [last, middle], "those from a time on");
        deepEqual(await listed({ to: last }), [middle, first], "those before a time");
        deepEqual(await listed({ from: first, to: middle }), [first], "those of a range");
      }
    },
  },
];

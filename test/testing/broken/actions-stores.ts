import type { Action, ActionsStore, RecordedAction } from "async-request-reply/ports";
import type { ActionsBackend } from "async-request-reply/testing";
import { type BrokenPort, caughtBy, named } from "./prove.js";

function altering(
  create: (actions: ActionsStore) => Partial<ActionsStore>,
): (backend: ActionsBackend) => Partial<ActionsBackend> {
  return ({ actions }) => ({ actions: { ...actions, ...create(actions) } });
}

/** Changes each action that is recorded. */
function recording(change: (action: Action, call: number) => Action): ReturnType<typeof altering> {
  return altering(({ record }) => {
    let calls = 0;
    return { record: (action) => record(change(action, calls++)) };
  });
}

/** Changes each list. */
function listing(
  change: (actions: readonly RecordedAction[]) => readonly RecordedAction[],
): ReturnType<typeof altering> {
  return altering(({ list }) => ({ list: async (request) => change(await list(request)) }));
}

/** Stores of actions with a mistake. */
export const brokenActions: readonly BrokenPort<ActionsBackend>[] = named({
  "forgets through what someone acted": caughtBy(
    ["actions.record.everything"],
    recording(({ via: _, ...action }) => action),
  ),
  "has another clock": caughtBy(
    ["actions.record.time"],
    listing((actions) => actions.map((action) => ({ ...action, at: action.at - 1 }))),
  ),
  "records an action again": caughtBy(
    ["actions.record.repeated"],
    recording((action, call) => ({ ...action, id: `${action.id}${call}` })),
  ),
  "keeps the first facts": caughtBy(
    ["actions.record.repeated"],
    altering(({ record, list }) => ({
      record: async (action) => {
        const known = await list({ limit: 1_000 });
        if (!known.some(({ id }) => id === action.id)) await record(action);
      },
    })),
  ),
  "lists the oldest first": caughtBy(
    ["actions.list.order", "actions.list.range", "actions.purge.age"],
    listing((actions) => actions.toReversed()),
  ),
  "lists those of the same time in another order": caughtBy(
    ["actions.list.order"],
    listing((actions) => actions.toSorted((one, other) => other.at - one.at || (one.id < other.id ? -1 : 1))),
  ),
  "lists all": caughtBy(
    ["actions.list.order"],
    altering(({ list }) => ({ list: (request) => list({ ...request, limit: 1_000 }) })),
  ),
  "lists all actions on a definition for an operation of it": caughtBy(
    ["actions.list.filter"],
    altering(({ list }) => ({
      list: ({ operationId, ...request }) =>
        list(
          request.definition === undefined ? { ...request, ...(operationId && { operationId }) } : request,
        ),
    })),
  ),
  "lists the end of the range": caughtBy(
    ["actions.list.range"],
    altering(({ list }) => ({
      list: (request) => list(request.to === undefined ? request : { ...request, to: request.to + 1 }),
    })),
  ),
  "deletes nothing": caughtBy(
    ["actions.purge.age"],
    altering(() => ({ purge: async () => 0 })),
  ),
  "deletes all old actions": caughtBy(
    ["actions.purge.age"],
    altering(({ purge }) => ({ purge: () => purge({ limit: 1_000 }) })),
  ),
});

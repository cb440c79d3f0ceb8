import { ACTIONS_KEPT_MS } from "../../../ports/actions-store.js";
import { deepEqual, equal } from "../../expect.js";
import { type ActionsStoreCheck, ALL, idsOf, newAction } from "./fixtures.js";

export const purgingChecks: readonly ActionsStoreCheck[] = [
  {
    rule: "actions.purge.age",
    name: "keeps actions for 90 days, and then deletes the oldest first, at most as many as asked for",
    needs: ["skipsTime"],
    check: async ({ actions }, time) => {
      const recorded: string[] = [];
      for (let index = 0; index < 4; index += 1) {
        const action = newAction({ definition: "orders" });
        await actions.record(action);
        recorded.unshift(action.id);
        await time.pass(2 * time.unitMs);
      }
      await time.pass(ACTIONS_KEPT_MS - 100 * time.unitMs);
      equal(await actions.purge(ALL), 0, "the number of deleted actions before their time");
      await time.pass(100 * time.unitMs);
      const fresh = newAction();
      await actions.record(fresh);
      equal(await actions.purge({ limit: 3 }), 3, "the number of deleted actions");
      deepEqual(idsOf(await actions.list(ALL)), [fresh.id, recorded[0]], "the actions that are left");
      equal(await actions.purge(ALL), 1, "the number of deleted actions in a second call");
      deepEqual(idsOf(await actions.list(ALL)), [fresh.id], "the actions at the end");
      equal(await actions.purge(ALL), 0, "the number of deleted actions in a third call");
    },
  },
];

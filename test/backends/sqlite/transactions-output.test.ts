import { declareOutputTransactions } from "../../support/output-transactions.js";
import type { OpenDatabase } from "../../support/sqlite/clients.js";
import { write } from "../../support/sqlite/transaction-stage.js";
import { describeStage } from "./per-test.js";

describeStage("output in transactions on an SQLite database", {}, (stage) => {
  declareOutputTransactions(() => ({
    backend: stage.backend,
    write: (database, effect) => write(database as OpenDatabase, effect),
    effects: stage.effects,
    append: async (lease, effect, output) => {
      const { append } = stage.backend.submissions.synchronous ?? {};
      if (append === undefined) throw new Error("expected transactions that append");
      return append(lease, (database) => {
        write(database as OpenDatabase, effect);
        return output();
      });
    },
  }));
});

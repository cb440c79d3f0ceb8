import { MAX_DURATION_MS } from "../../../contract/option-values.js";
import { equal } from "../../expect.js";
import { read } from "../operation-store/fixtures.js";
import { recordedAndEnded, type SubmissionsCheck } from "./fixtures.js";

export const longestDurationChecks: readonly SubmissionsCheck[] = [
  {
    rule: "purge.longest",
    name: "keeps an operation with a retention of 100 years",
    check: async (backend) => {
      const { operation } = await recordedAndEnded(backend, "key-1", MAX_DURATION_MS);
      await recordedAndEnded(backend, "key-2");
      equal(await backend.submissions.purge({ limit: 10 }), 1, "number of purged operations");
      equal((await read(backend.operations, operation)).state, "completed", "the state");
    },
  },
];

import { equal } from "../../expect.js";
import { boundTo, recordedAndEnded, type SubmissionsCheck } from "./fixtures.js";

const YEAR_MS = 365 * 24 * 3_600_000;

export const clockJumpChecks: readonly SubmissionsCheck[] = [
  {
    rule: "jump.purged",
    name: "purges operations that ended before and after a year-long clock jump",
    needs: ["jumpsBack"],
    check: async (backend, { unitMs, pass, jump }) => {
      const retentionMs = 5 * unitMs;
      const before = await recordedAndEnded(backend, "before", retentionMs);
      await jump(YEAR_MS);
      await recordedAndEnded(backend, "ahead", retentionMs);
      await jump(-YEAR_MS);
      const after = await recordedAndEnded(backend, "after", retentionMs);
      await pass(retentionMs);
      await backend.submissions.purge({ limit: 10 });
      for (const submission of [before, after]) {
        const { id, tenant } = submission.operation;
        equal(await backend.operations.get(id, tenant), undefined, "a purged operation");
        equal(
          await boundTo(backend, submission),
          undefined,
          "what the key of a purged operation is bound to",
        );
      }
    },
  },
];

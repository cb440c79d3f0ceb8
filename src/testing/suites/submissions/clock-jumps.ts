import { equal, isOutcome } from "../../expect.js";
import { newId } from "../operation-store/fixtures.js";
import { bindingOf, recordedAndEnded, type SubmissionsCheck } from "./fixtures.js";

const YEAR_MS = 365 * 24 * 3_600_000;

export const clockJumpChecks: readonly SubmissionsCheck[] = [
  {
    rule: "jump.purged",
    name: "purges operations that ended before and after a year-long clock jump",
    needs: ["jumpsBack"],
    check: async (submissions, { unitMs, pass, jump }) => {
      const retentionMs = 5 * unitMs;
      const before = await recordedAndEnded(submissions, "before", retentionMs);
      await jump(YEAR_MS);
      await recordedAndEnded(submissions, "ahead", retentionMs);
      await jump(-YEAR_MS);
      const after = await recordedAndEnded(submissions, "after", retentionMs);
      await pass(retentionMs);
      await submissions.purge({ limit: 10 });
      for (const submission of [before, after]) {
        const { id, tenant } = submission.operation;
        equal(await submissions.operations.get(id, tenant), undefined, "a purged operation");
        const binding = { ...bindingOf(submission), operationId: newId() };
        isOutcome(
          await submissions.idempotency.bind(binding),
          "bound",
          "binding the key of a purged operation",
        );
      }
    },
  },
];

import { deepEqual, isOutcome } from "../../expect.js";
import { JSON_TEXTS, KEYS } from "../contents.js";
import { newSubmission, recorded, type SubmissionsCheck } from "./fixtures.js";

export const contentChecks: readonly SubmissionsCheck[] = [
  {
    rule: "contents.recorded",
    name: "returns the exact input and key to repeated submissions, also to concurrent ones",
    check: async (backend) => {
      const contents = [
        ...JSON_TEXTS.map((input, index) => ({ input, key: `key-${index}` })),
        ...KEYS.map((key) => ({ input: "{}", key })),
      ];
      await Promise.all(contents.map((members) => recorded(backend, members)));
      await Promise.all(
        contents.map(async ({ input, key }) => {
          const again = await backend.submissions.record(newSubmission({ key }));
          const { operation } = isOutcome(again, "exists", "recording the key again");
          deepEqual({ input: operation.input, key: operation.key }, { input, key }, "the operation");
        }),
      );
    },
  },
];

import { AsyncReplyError } from "async-request-reply";
import type { RecordManyResult, Submission } from "async-request-reply/ports";
import { caughtBy, named } from "./prove.js";
import type { Recorder } from "./recorder.js";

const keyOf = ({ operation: { key = "" } }: Submission): string => key;

/** Atomic submissions that break a rule of `recordMany`. */
export const recordingMany = named<Recorder>({
  "records several submissions one after the other": caughtBy(
    ["many.commit", "many.refused"],
    (submissions) => ({
      recordMany: async (list) => {
        const results: RecordManyResult[] = [];
        for (const each of list) results.push(await submissions.record(each));
        return results;
      },
    }),
  ),
  "keeps the keys of a list that was refused": caughtBy(["many.refused"], (submissions) => {
    const kept = new Set<string>();
    return {
      record: async (submission) => {
        const { fingerprint } = submission;
        if (kept.has(keyOf(submission))) return { outcome: "in-progress", fingerprint };
        return submissions.record(submission);
      },
      recordMany: async (list) => {
        try {
          return await submissions.recordMany(list);
        } catch (error) {
          for (const each of list) kept.add(keyOf(each));
          throw error;
        }
      },
    };
  }),
  "returns results in the order of the keys": caughtBy(["many.order"], (submissions) => ({
    recordMany: (list) =>
      submissions.recordMany([...list].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))),
  })),
  "fails as a whole if one key is bound": caughtBy(["many.order", "many.race"], (submissions) => ({
    recordMany: async (list) => {
      const results = await submissions.recordMany(list);
      if (results.every(({ outcome }) => outcome === "created")) return results;
      throw new AsyncReplyError("SUBMISSION_IN_PROGRESS", "A key is bound.");
    },
  })),
  "creates the operations of a list without their keys": caughtBy(
    ["many.order", "many.both", "many.race"],
    ({ operations }) => ({
      recordMany: async (list) => {
        for (const { operation } of list) await operations.create(operation);
        return list.map(() => ({ outcome: "created" }));
      },
    }),
  ),
  "gives all submissions of a list the members of the first": caughtBy(["many.members"], (submissions) => ({
    recordMany: (list) => {
      const { tenant, definition, retentionMs } = (list[0] as Submission).operation;
      return submissions.recordMany(
        list.map((each) => ({ ...each, operation: { ...each.operation, tenant, definition, retentionMs } })),
      );
    },
  })),
  "records at most 500 submissions of a list": caughtBy(["many.commit", "many.refused"], (submissions) => ({
    recordMany: async (list) => {
      await submissions.recordMany(list.slice(0, 500)).catch(() => {});
      return list.map(() => ({ outcome: "created" }));
    },
  })),
  "returns `exists` to the repetition of a list": caughtBy(["many.repeated"], (submissions) => ({
    recordMany: async (list) => {
      const known = await Promise.all(
        list.map(({ operation }) => submissions.operations.get(operation.id, operation.tenant)),
      );
      const results = await submissions.recordMany(list);
      return results.map((result, index) => {
        const operation = known[index];
        return operation === undefined ? result : { outcome: "exists", operation, fingerprint: "1:abc" };
      });
    },
  })),
  "refuses the keys that another list is using": caughtBy(["many.race", "many.repeated"], (submissions) => {
    const used = new Set<string>();
    const refused: RecordManyResult = {
      outcome: "refused",
      error: new AsyncReplyError("SUBMISSION_IN_PROGRESS", "The key is held."),
    };
    return {
      recordMany: async (list) => {
        const isHeld = list.map((each) => used.has(keyOf(each)));
        for (const each of list) used.add(keyOf(each));
        const results = await submissions.recordMany(list);
        for (const each of list) used.delete(keyOf(each));
        return results.map((result, index) => (isHeld[index] === true ? refused : result));
      },
    };
  }),
});

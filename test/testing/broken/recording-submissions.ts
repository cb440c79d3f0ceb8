import type { KeyBinding, KeyReference } from "async-request-reply/ports";
import { nextTurn } from "../../../src/platform/waits.js";
import { caughtBy, named } from "./prove.js";
import { type Recorder, recording, repeating } from "./recorder.js";

function nameOf({ tenant, definition, key = "" }: Partial<KeyReference>): string {
  return JSON.stringify([tenant, definition, key]);
}

/** Atomic submissions that break a rule of recording. */
export const recordingSubmissions = named<Recorder>({
  "creates the operation without its key": caughtBy(
    ["record.both", "record.race", "record.exists", "record.find"],
    ({ operations }) => ({
      record: async ({ operation, initial }) => {
        await operations.create(operation, initial);
        return { outcome: "created" };
      },
    }),
  ),
  "binds the key without an operation": caughtBy(
    ["record.both", "record.repeated", "record.keyless", "record.preparing"],
    () => {
      const bound = new Map<string, Pick<KeyBinding, "operationId" | "fingerprint">>();
      return {
        record: async ({ operation, fingerprint }) => {
          bound.set(nameOf(operation), { operationId: operation.id, fingerprint });
          return { outcome: "created" };
        },
        findKey: async (reference) => bound.get(nameOf(reference)),
      };
    },
  ),
  "drops optional members of submissions": caughtBy(["record.members"], (submissions) =>
    recording(submissions, ({ id, tenant, definition, input, retentionMs, key }) => {
      const operation = { id, tenant, definition, input, retentionMs };
      return key === undefined ? operation : { ...operation, key };
    }),
  ),
  "reads the key before it records": caughtBy(["record.race"], (submissions) => {
    const known = new Set<string | undefined>();
    return {
      record: async (submission) => {
        const isNew = !known.has(submission.operation.key);
        await nextTurn();
        known.add(submission.operation.key);
        const result = await submissions.record(submission);
        return isNew ? { outcome: "created" } : result;
      },
    };
  }),
  "returns `exists` to the repetition of a creation": caughtBy(
    ["record.repeated", "record.keyless", "record.preparing"],
    (submissions) => ({
      record: async (submission) => {
        const { id, tenant } = submission.operation;
        const operation = await submissions.operations.get(id, tenant);
        if (operation === undefined) return submissions.record(submission);
        return { outcome: "exists", operation, fingerprint: submission.fingerprint };
      },
    }),
  ),
  "returns the fingerprint of the caller": caughtBy(["record.exists", "record.race"], (submissions) => ({
    record: async (submission) => {
      const result = await submissions.record(submission);
      return result.outcome === "created" ? result : { ...result, fingerprint: submission.fingerprint };
    },
  })),
  "returns the operation in its recorded state": caughtBy(
    ["record.exists", "record.preparing"],
    (submissions) =>
      repeating(submissions, ({ operation: { result: _, settledAt: __, ...operation }, ...result }) => ({
        ...result,
        operation: { ...operation, state: "pending" },
      })),
  ),
  "joins tenant and definition": caughtBy(["record.apart"], (submissions) =>
    recording(submissions, ({ tenant, definition, ...operation }) => ({
      ...operation,
      tenant: "",
      definition: `${tenant}:${definition}`,
    })),
  ),
  "confuses a missing key with an empty key": caughtBy(["record.keyless"], (submissions) =>
    recording(submissions, (operation) => ({ key: "", ...operation })),
  ),
  "confuses missing keys with the text NULL when several are recorded concurrently": caughtBy(
    ["record.keyless"],
    (submissions) => {
      let underWay = 0;
      return {
        record: async (submission) => {
          underWay += 1;
          await nextTurn();
          const key = underWay > 1 ? { key: "NULL" } : {};
          const operation = { ...key, ...submission.operation };
          return submissions.record({ ...submission, operation }).finally(() => {
            underWay -= 1;
          });
        },
      };
    },
  ),
  "records everything as pending": caughtBy(["record.preparing"], (submissions) => ({
    record: ({ operation, fingerprint }) => submissions.record({ operation, fingerprint }),
  })),
  "keeps the key of a refused submission": caughtBy(["record.refused"], (submissions) => {
    const kept = new Set<string>();
    return {
      record: async (submission) => {
        const { operation, fingerprint } = submission;
        if (kept.has(nameOf(operation))) return { outcome: "in-progress", fingerprint };
        try {
          return await submissions.record(submission);
        } catch (error) {
          if (operation.key !== undefined) kept.add(nameOf(operation));
          throw error;
        }
      },
    };
  }),
  "finds the keys of other tenants": caughtBy(["record.find"], (submissions) => {
    const tenants = new Map<string | undefined, string>();
    return {
      record: (submission) => {
        const { key, tenant } = submission.operation;
        tenants.set(key, tenant);
        return submissions.record(submission);
      },
      findKey: (reference) =>
        submissions.findKey({ ...reference, tenant: tenants.get(reference.key) ?? reference.tenant }),
    };
  }),
  "finds no keys": caughtBy(["record.both", "record.find"], () => ({ findKey: async () => undefined })),
});

import type { KeyBinding, KeyReference } from "async-request-reply/ports";
import { nextTurn } from "../../../src/platform/waits.js";
import type { BrokenPort } from "./prove.js";
import type { Recorder } from "./recorder.js";

function nameOf({ tenant, definition, key = "" }: Partial<KeyReference>): string {
  return JSON.stringify([tenant, definition, key]);
}

/** Atomic submissions that break a rule of recording. */
export const recordingSubmissions: readonly BrokenPort<Recorder>[] = [
  {
    name: "creates the operation without its key",
    caughtBy: ["record.both", "record.race", "record.exists", "record.find"],
    methods: ({ operations }) => ({
      record: async ({ operation, initial }) => {
        await operations.create(operation, initial);
        return { outcome: "created" };
      },
    }),
  },
  {
    name: "binds the key without an operation",
    caughtBy: ["record.both", "record.repeated", "record.keyless", "record.preparing"],
    methods: () => {
      const bound = new Map<string, Pick<KeyBinding, "operationId" | "fingerprint">>();
      return {
        record: async ({ operation, fingerprint }) => {
          bound.set(nameOf(operation), { operationId: operation.id, fingerprint });
          return { outcome: "created" };
        },
        findKey: async (reference) => bound.get(nameOf(reference)),
      };
    },
  },
  {
    name: "drops optional members of submissions",
    caughtBy: ["record.members"],
    methods: (submissions) => ({
      record: ({ operation: { id, tenant, definition, input, retentionMs, key }, ...rest }) => {
        const operation = { id, tenant, definition, input, retentionMs };
        return submissions.record({
          ...rest,
          operation: key === undefined ? operation : { ...operation, key },
        });
      },
    }),
  },
  {
    name: "reads the key before it records",
    caughtBy: ["record.race"],
    methods: (submissions) => {
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
    },
  },
  {
    name: "returns `exists` to the repetition of a creation",
    caughtBy: ["record.repeated", "record.keyless", "record.preparing"],
    methods: (submissions) => ({
      record: async (submission) => {
        const { id, tenant } = submission.operation;
        const operation = await submissions.operations.get(id, tenant);
        if (operation === undefined) return submissions.record(submission);
        return { outcome: "exists", operation, fingerprint: submission.fingerprint };
      },
    }),
  },
  {
    name: "returns the fingerprint of the caller",
    caughtBy: ["record.exists", "record.race"],
    methods: (submissions) => ({
      record: async (submission) => {
        const result = await submissions.record(submission);
        return result.outcome === "created" ? result : { ...result, fingerprint: submission.fingerprint };
      },
    }),
  },
  {
    name: "returns the operation in its recorded state",
    caughtBy: ["record.exists", "record.preparing"],
    methods: (submissions) => ({
      record: async (submission) => {
        const result = await submissions.record(submission);
        if (result.outcome !== "exists") return result;
        const { result: _, settledAt: __, ...operation } = result.operation;
        return { ...result, operation: { ...operation, state: "pending" } };
      },
    }),
  },
  {
    name: "joins tenant and definition",
    caughtBy: ["record.apart"],
    methods: (submissions) => ({
      record: (submission) => {
        const { operation } = submission;
        const definition = `${operation.tenant}:${operation.definition}`;
        return submissions.record({ ...submission, operation: { ...operation, tenant: "", definition } });
      },
    }),
  },
  {
    name: "confuses a missing key with an empty key",
    caughtBy: ["record.keyless"],
    methods: (submissions) => ({
      record: (submission) =>
        submissions.record({ ...submission, operation: { key: "", ...submission.operation } }),
    }),
  },
  {
    name: "confuses missing keys with the text NULL when several are recorded concurrently",
    caughtBy: ["record.keyless"],
    methods: (submissions) => {
      let underWay = 0;
      return {
        record: async (submission) => {
          underWay += 1;
          await nextTurn();
          const key = underWay > 1 ? { key: "NULL" } : {};
          const recording = submissions.record({
            ...submission,
            operation: { ...key, ...submission.operation },
          });
          return recording.finally(() => {
            underWay -= 1;
          });
        },
      };
    },
  },
  {
    name: "records everything as pending",
    caughtBy: ["record.preparing"],
    methods: (submissions) => ({
      record: ({ operation, fingerprint }) => submissions.record({ operation, fingerprint }),
    }),
  },
  {
    name: "keeps the key of a refused submission",
    caughtBy: ["record.refused"],
    methods: (submissions) => {
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
    },
  },
  {
    name: "finds the keys of other tenants",
    caughtBy: ["record.find"],
    methods: (submissions) => {
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
    },
  },
  {
    name: "finds no keys",
    caughtBy: ["record.both", "record.find"],
    methods: () => ({ findKey: async () => undefined }),
  },
];

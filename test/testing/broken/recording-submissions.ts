import { AsyncReplyError } from "async-request-reply";
import type { RecordResult, Submission, Submissions } from "async-request-reply/ports";
import { nextTurn } from "../../../src/ports/waits.js";
import type { BrokenPort } from "./prove.js";

function bindingOf({ operation, fingerprint }: Submission) {
  const { id: operationId, tenant, definition, key = "" } = operation;
  return { tenant, definition, key, operationId, fingerprint };
}

/** Records with the two stores one after the other and ignores failures in between. */
async function recordInTwoSteps(submissions: Submissions<unknown>, given: Submission): Promise<RecordResult> {
  const binding = await submissions.idempotency.bind(bindingOf(given));
  const id = binding.outcome === "exists" ? binding.operationId : given.operation.id;
  await submissions.operations.create({ ...given.operation, id }, given.initial);
  const operation = await submissions.operations.get(id, given.operation.tenant);
  if (binding.outcome === "bound" || operation === undefined) return { outcome: "created" };
  return { outcome: "exists", operation, fingerprint: binding.fingerprint };
}

/** Atomic submissions that break a rule of recording. */
export const recordingSubmissions: readonly BrokenPort<Submissions<unknown>>[] = [
  {
    name: "creates the operation without its key",
    caughtBy: ["record.both", "record.race", "record.exists", "record.half-done"],
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
    methods: ({ idempotency }) => ({
      record: async (submission) => {
        await idempotency.bind(bindingOf(submission));
        return { outcome: "created" };
      },
    }),
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
    caughtBy: ["record.exists", "record.race", "record.half-done-other"],
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
    name: "creates a new operation for a key whose operation is missing",
    caughtBy: ["record.half-done", "record.half-done-other"],
    methods: (submissions) => ({
      record: async (submission) => {
        const binding = await submissions.idempotency.bind(bindingOf(submission));
        if (binding.outcome === "bound") return submissions.record(submission);
        const known = await submissions.operations.get(binding.operationId, submission.operation.tenant);
        if (known !== undefined) return submissions.record(submission);
        await submissions.operations.create(submission.operation);
        return { outcome: "created" };
      },
    }),
  },
  {
    name: "creates the missing operation of a key from any payload, with an unchanged follow-up",
    caughtBy: ["record.half-done-other", "record.half-done-follow-up"],
    methods: (submissions) => ({ record: (submission) => recordInTwoSteps(submissions, submission) }),
  },
  {
    name: "refuses another payload for a key without an operation, but does not return its fingerprint",
    caughtBy: ["record.half-done-other"],
    methods: (submissions) => ({
      record: async (submission) => {
        const result = await submissions.record(submission);
        if (result.outcome !== "in-progress") return result;
        throw new AsyncReplyError("IDEMPOTENCY_KEY_REUSED", "The key belongs to another payload.");
      },
    }),
  },
  {
    name: "keeps the key of a refused submission",
    caughtBy: ["record.refused"],
    methods: (submissions) => ({
      record: async (submission) => {
        try {
          return await submissions.record(submission);
        } catch (error) {
          await submissions.idempotency.bind(bindingOf(submission));
          throw error;
        }
      },
    }),
  },
];

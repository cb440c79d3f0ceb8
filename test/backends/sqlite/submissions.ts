import type { Submission } from "async-request-reply/ports";

/** Returns a submission with a key. `number` distinguishes it from others. */
export function newSubmission(number: number, members: Partial<Submission["operation"]> = {}): Submission {
  const operation = {
    id: `01900000-0000-7000-8000-${number.toString().padStart(12, "0")}`,
    tenant: "tenant",
    definition: "orders",
    input: "{}",
    retentionMs: 60_000,
    key: `key-${number}`,
    ...members,
  };
  return { operation, fingerprint: `1:${operation.input}` };
}

import type { Submission } from "../../../ports/submission.js";
import { deepEqual, equal, isOutcome } from "../../expect.js";
import { newFollowUp } from "../operation-store/attempt/on-end.js";
import {
  begin,
  begins,
  COMPLETED,
  LONG_MS,
  newId,
  newOperation,
  newToken,
  PREPARED,
  read,
} from "../operation-store/fixtures.js";
import { concurrently } from "../port-case.js";
import { TENANTS } from "../tenants.js";
import { boundTo, newSubmission, recorded, type SubmissionsCheck } from "./fixtures.js";

export const recordChecks: readonly SubmissionsCheck[] = [
  {
    rule: "record.both",
    name: "binds the key and creates the operation, which can both be found",
    check: async (backend) => {
      const submission = await recorded(backend);
      const { createdAt: _, ...rest } = await read(backend.operations, submission.operation);
      deepEqual(rest, { ...submission.operation, state: "pending", attempt: 0 }, "the operation");
      const { tenant, definition, key = "", id: operationId } = submission.operation;
      const found = await backend.submissions.findKey({ tenant, definition, key });
      deepEqual(
        { operationId: found?.operationId, fingerprint: found?.fingerprint },
        { operationId, fingerprint: submission.fingerprint },
        "what the key is bound to",
      );
      equal(await begins(backend.operations, operationId), true, "beginning the operation");
    },
  },
  {
    rule: "record.members",
    name: "stores everything in a submission, with and without a key",
    check: async (backend, { unitMs, pass }) => {
      for (const key of ["key-1", undefined]) {
        const { key: _, ...members } = newOperation({
          principal: "ann",
          delayMs: 2 * unitMs,
          meta: '{"trace":1}',
          retryOf: newId(),
          onEnd: newFollowUp(),
        });
        const operation = key === undefined ? members : { ...members, key };
        isOutcome(
          await backend.submissions.record({ operation, fingerprint: "1:abc" }),
          "created",
          "recording",
        );
        const { delayMs: _delay, ...rest } = operation;
        const { createdAt: _at, ...shown } = await read(backend.operations, operation);
        deepEqual(shown, { ...rest, state: "pending", attempt: 0 }, "the operation");
        equal(await begins(backend.operations, operation.id), false, "beginning it");
        await pass(2 * unitMs);
        equal(await begins(backend.operations, operation.id), true, "beginning it after its delay");
      }
    },
  },
  {
    rule: "record.race",
    name: "creates one operation for 50 concurrent records of one key and returns it to all others",
    check: async (backend) => {
      const given = Array.from({ length: 50 }, (_, index) => newSubmission({}, `1:${index}`));
      const results = await Promise.all(given.map((each) => backend.submissions.record(each)));
      const winners = given.filter((_, index) => results[index]?.outcome === "created");
      equal(winners.length, 1, "number of calls that returned `created`");
      for (const result of results) {
        if (result.outcome === "created") continue;
        const exists = isOutcome(result, "exists", "recording a bound key");
        const told = [exists.operation.id, exists.operation.state, exists.fingerprint];
        const expected = [winners[0]?.operation.id, "pending", winners[0]?.fingerprint];
        deepEqual(told, expected, "operation, state and fingerprint in the other results");
      }
      for (const { operation } of given) {
        if (operation.id === winners[0]?.operation.id) continue;
        equal(
          await backend.operations.get(operation.id, operation.tenant),
          undefined,
          "the operation of a call that lost",
        );
      }
    },
  },
  {
    rule: "record.repeated",
    name: "returns `created` again for the same operation id, repeatedly and concurrently",
    check: async (backend) => {
      const submission = newSubmission();
      const results = await concurrently(50, () => backend.submissions.record(submission));
      for (const result of results) isOutcome(result, "created", "recording the same submission");
      const { lease } = await begin(backend.operations, submission.operation.id);
      await backend.operations.settle(lease, COMPLETED);
      isOutcome(await backend.submissions.record(submission), "created", "recording it after its end");
      equal((await read(backend.operations, submission.operation)).state, "completed", "the state");
    },
  },
  {
    rule: "record.exists",
    name: "returns the current operation and the first fingerprint to later submissions with the key",
    check: async (backend) => {
      const first = await recorded(backend);
      const { lease } = await begin(backend.operations, first.operation.id);
      await backend.operations.settle(lease, COMPLETED);
      const now = await read(backend.operations, first.operation);
      const expected = { outcome: "exists", operation: now, fingerprint: first.fingerprint };
      for (const fingerprint of [first.fingerprint, "1:other"]) {
        const later = newSubmission({ input: '"other"' }, fingerprint);
        deepEqual(await backend.submissions.record(later), expected, "recording the same key later");
        equal(await backend.operations.get(later.operation.id, "tenant-1"), undefined, "a later operation");
      }
    },
  },
  {
    rule: "record.principal",
    name: "keeps the principal of the first submission with a key, also if that submission named none",
    check: async (backend) => {
      for (const principal of ["ann", undefined]) {
        const named = principal === undefined ? {} : { principal };
        const first = await recorded(backend, { key: `key of ${principal}`, ...named });
        const later = newSubmission({ key: `key of ${principal}`, principal: "bob" });
        const exists = isOutcome(
          await backend.submissions.record(later),
          "exists",
          "recording the key again",
        );
        equal(exists.operation.principal, principal, "the principal in the answer");
        const found = await read(backend.operations, first.operation);
        equal(found.principal, principal, "the principal, read");
      }
    },
  },
  {
    rule: "record.find",
    name: "finds the operation of a key, and nothing for one that is free, or of another tenant or definition",
    check: async (backend) => {
      const first = await recorded(backend);
      equal(await boundTo(backend, first), first.operation.id, "what the key is bound to");
      for (const other of [{ key: "key-2" }, { tenant: "tenant-2" }, { definition: "invoices" }])
        equal(await boundTo(backend, newSubmission(other)), undefined, `the key of ${JSON.stringify(other)}`);
    },
  },
  {
    rule: "record.apart",
    name: "keeps keys of different tenants and definitions apart, even with separators in names",
    check: async (backend) => {
      await recorded(backend);
      await recorded(backend, { tenant: "tenant-2" });
      await recorded(backend, { definition: "reports" });
      await recorded(backend, { tenant: "a:b", definition: "c" });
      await recorded(backend, { tenant: "a", definition: "b:c" });
    },
  },
  {
    rule: "record.tenants",
    name: "distinguishes tenants exactly, up to 255 UTF-16 code units of any script",
    check: async (backend) => {
      const key = "k".repeat(255);
      const submitted = await Promise.all(TENANTS.map((tenant) => recorded(backend, { tenant, key })));
      for (const { operation } of submitted) {
        const { tenant } = operation;
        const again = isOutcome(
          await backend.submissions.record(newSubmission({ tenant, key })),
          "exists",
          `recording the key of ${JSON.stringify(tenant)} again`,
        );
        deepEqual([again.operation.id, again.operation.tenant], [operation.id, tenant], "the operation");
      }
    },
  },
  {
    rule: "record.keyless",
    name: "creates an operation for every submission without a key",
    check: async (backend) => {
      const keyless = (): Submission => ({ operation: newOperation(), fingerprint: "1:abc" });
      for (const submission of [keyless(), keyless()]) {
        isOutcome(await backend.submissions.record(submission), "created", "recording without a key");
        isOutcome(await backend.submissions.record(submission), "created", "repeating it");
      }
      const given = Array.from({ length: 20 }, keyless);
      const results = await Promise.all(given.map((each) => backend.submissions.record(each)));
      for (const result of results)
        isOutcome(result, "created", "recording 20 submissions without a key concurrently");
      for (const { operation } of given) {
        const { state, key } = await read(backend.operations, operation);
        deepEqual([state, key], ["pending", undefined], "state and key");
      }
    },
  },
  {
    rule: "record.preparing",
    name: "records an operation as preparing under the creator's lease on request",
    check: async (backend) => {
      const lease = { operationId: newId(), token: newToken() };
      const initial = { state: "preparing", token: lease.token, leaseMs: LONG_MS } as const;
      const submission = { ...newSubmission({ id: lease.operationId }), initial };
      for (const time of ["first", "second"]) {
        isOutcome(
          await backend.submissions.record(submission),
          "created",
          `recording it for the ${time} time`,
        );
      }
      const other = { ...newSubmission(), initial: { ...initial, token: newToken() } };
      const exists = isOutcome(await backend.submissions.record(other), "exists", "recording the key again");
      equal(exists.operation.state, "preparing", "the returned state");
      equal(await begins(backend.operations, lease.operationId), false, "beginning under the lease");
      isOutcome(await backend.operations.settle(lease, PREPARED), "settled", "settling as prepared");
    },
  },
  {
    rule: "record.refused",
    name: "leaves the key free if the operation cannot be created",
    needs: ["fills"],
    check: async (_, __, harness) => {
      const full = await harness.createFull?.();
      if (full === undefined)
        throw new Error(
          "The harness declares `fills`, but has no `createFull`. Implement it or remove the capability.",
        );
      try {
        const refused = newSubmission();
        const answer = await full.port.submissions.record(refused).catch(() => "refused");
        equal(answer, "refused", "recording without room");
        await full.makeRoom();
        await recorded(full.port);
        equal(
          await full.port.operations.get(refused.operation.id, "tenant-1"),
          undefined,
          "the refused operation",
        );
      } finally {
        await full.close?.();
      }
    },
  },
];

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Backend } from "async-request-reply";
import {
  createManualClock,
  operationStoreCases,
  type PortHarness,
  simulate,
  submissionsCases,
} from "async-request-reply/testing";
import { afterAll, describe, expect, it } from "vitest";
import { runSuite } from "../support/run-suite.js";
import { createJsonFileBackend } from "./json-file.js";

const folder = mkdtempSync(join(tmpdir(), "json-file-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newPath = (): string => join(folder, `${++files}.json`);

function harnessOf<Port>(portOf: (backend: Backend<never>) => Port): PortHarness<Port> {
  const clock = createManualClock();
  return {
    capabilities: { leaseGranularityMs: 1, skipsTime: true, jumpsBack: true, inspect: true },
    create: async () => ({ port: portOf(createJsonFileBackend({ path: newPath(), clock })) }),
    passTime: (ms) => clock.advance(ms),
    jumpTime: (ms) => clock.jump(ms),
  };
}

/** It writes its whole file at every change, so a case with a crowd would take a minute. */
const cases = operationStoreCases.filter(({ rule }) => rule !== "limits.claim-crowd");

describe("a back end on a JSON file", () => {
  runSuite(
    "operation store",
    cases,
    harnessOf(({ operations }) => operations),
  );
  runSuite(
    "RECORD and purge",
    submissionsCases,
    harnessOf((backend) => backend),
  );

  it.each([1, 2, 3, 4, 5, 6])("holds the contract in the history of seed %i", async (seed) => {
    const history = simulate((clock) => createJsonFileBackend({ path: newPath(), clock }), {
      seed,
      turns: true,
    });
    await expect(history).resolves.toMatchObject({ violations: [] });
  });

  it("finds what an earlier process has recorded", async () => {
    const path = newPath();
    const clock = createManualClock();
    const operation = {
      id: "01900000-0000-7000-8000-000000000001",
      tenant: "a",
      definition: "orders",
      key: "k",
    };
    const submission = { operation: { ...operation, input: "1", retentionMs: 1_000 }, fingerprint: "1:a" };
    await createJsonFileBackend({ path, clock }).submissions.record(submission);
    const { operations, submissions } = createJsonFileBackend({ path, clock });
    expect(await operations.get(operation.id, "a")).toMatchObject({ state: "pending", input: "1" });
    expect(await submissions.findKey(operation)).toEqual({ operationId: operation.id, fingerprint: "1:a" });
  });
});

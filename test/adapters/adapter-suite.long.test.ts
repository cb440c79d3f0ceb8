import { describe, expect, it } from "vitest";
import { createManualClock } from "../../src/testing/manual-clock.js";
import { adapterCases } from "../support/adapter-suite/cases.js";
import { declareAdapterCases } from "../support/adapter-suite/declare-cases.js";
import type { AdapterCase, AdapterHarness } from "../support/adapter-suite/fixtures/adapter-case.js";
import { createPlainHarness } from "../support/plain-harness.js";
import { plantedFaults } from "./planted-faults.js";

describe("the adapter suite on plain objects", () => {
  declareAdapterCases(createPlainHarness());
});

const withoutSockets = adapterCases.filter(({ needs = [] }) => !needs.includes("sockets"));

describe("the adapter suite", () => {
  /** The cases that pass without a fault. A case that fails anyway would seem to catch every fault. */
  let passingCases: Promise<readonly AdapterCase[]> | undefined;

  it("gives every case its own name and the source of its rule", () => {
    const names = adapterCases.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(adapterCases.filter(({ rule }) => !/^(RFC \d|draft-|spec §|docs\/)/.test(rule))).toEqual([]);
  });

  it("has no case that passes if every reply is wrong", async () => {
    const wrong = createPlainHarness(() => async () => ({ status: 599, headers: {} }));
    const passed: string[] = [];
    // Some cases wait for something that such an adapter never does. They do not pass either.
    for (const { name, run } of withoutSockets)
      void run(wrong).then(
        () => passed.push(name),
        () => {},
      );
    const clock = createManualClock();
    for (let turn = 0; turn < 200; turn += 1) await clock.advance(1);
    expect(passed).toEqual([]);
    expect(withoutSockets.length).toBeGreaterThan(200);
  });

  it.each(Object.entries(plantedFaults))("catches an adapter that %s", async (_, fault) => {
    passingCases ??= passing(createPlainHarness());
    expect(await firstFailure(await passingCases, createPlainHarness(fault))).toEqual(expect.any(String));
  });
});

async function passing(harness: AdapterHarness): Promise<readonly AdapterCase[]> {
  const results = await Promise.allSettled(withoutSockets.map(({ run }) => run(harness)));
  return withoutSockets.filter((_, index) => results[index]?.status === "fulfilled");
}

/**
 * Returns the name of the first case that fails. Does not wait for the others, because a broken adapter may never
 * finish.
 */
function firstFailure(cases: readonly AdapterCase[], harness: AdapterHarness): Promise<string | undefined> {
  const failures = cases.map(({ name, run }) =>
    run(harness).then(
      () => Promise.reject(new Error("passed")),
      () => name,
    ),
  );
  return Promise.any(failures).catch(() => undefined);
}

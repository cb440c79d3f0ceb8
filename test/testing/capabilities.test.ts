import {
  type Capabilities,
  type OperationStoreHarness,
  operationStoreCases,
  type PortCase,
  runnableCases,
} from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { memoryOperations } from "../support/memory-harnesses.js";
import { overriding } from "./broken/prove.js";

describe("a case that needs missing capabilities", () => {
  const caseWithTwoNeeds: PortCase<OperationStoreHarness> = {
    name: "needs two capabilities",
    rule: "both",
    needs: ["watch", "lanes"],
    run: async () => {},
  };

  it("is skipped with the names of the missing capabilities", () => {
    const [both] = runnableCases([caseWithTwoNeeds], {
      ...memoryOperations(),
      capabilities: { leaseGranularityMs: 1, watch: false, lacks: ["lanes"] },
    });
    expect(both).toEqual({ case: caseWithTwoNeeds, skipped: "needs watch, lanes" });
  });

  it("runs if no capability is missing", () => {
    const capabilities: Capabilities = { leaseGranularityMs: 1, watch: true, lacks: ["limits"] };
    expect(runnableCases([caseWithTwoNeeds], { ...memoryOperations(), capabilities })).toEqual([
      { case: caseWithTwoNeeds },
    ]);
  });

  it("is an exception: most cases of the operation store run without any capability", () => {
    const cases = runnableCases(operationStoreCases, {
      ...memoryOperations(),
      capabilities: { leaseGranularityMs: 1, lacks: ["deadlines", "lanes", "limits"] },
    });
    const skipped = cases.filter((each) => each.skipped !== undefined).map((each) => each.case.needs);
    expect(new Set(skipped.flat())).toEqual(
      new Set([
        ...["lanes", "limits", "skipsTime", "jumpsBack", "deadlines"],
        ...["watch", "watchCancellations", "inspect"],
      ]),
    );
    expect(skipped.length).toBeLessThan(cases.length / 2);
  });
});

describe("a case", () => {
  it("closes its port, whether it passes or fails", async () => {
    const harness = memoryOperations();
    let open = 0;
    const counting = {
      ...harness,
      create: async () => {
        open += 1;
        const { port } = await harness.create();
        const close = async (): Promise<void> => {
          open -= 1;
        };
        return { port: overriding(port, { get: async () => undefined }), close };
      },
    };
    const outcomes = new Set<string>();
    for (const each of operationStoreCases) {
      outcomes.add(
        await each.run(counting).then(
          () => "passed",
          () => "failed",
        ),
      );
    }
    expect(outcomes).toEqual(new Set(["passed", "failed"]));
    expect(open).toBe(0);
  });
});

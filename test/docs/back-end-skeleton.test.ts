import type { Backend } from "async-request-reply";
import {
  type Capabilities,
  operationStoreCases,
  type PortCase,
  type PortHarness,
  queueCases,
  runnableCases,
  submissionsCases,
} from "async-request-reply/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blocksOf, page } from "../support/pages.js";
import { openWorkshop } from "./execute.js";

const capabilities: Capabilities = { leaseGranularityMs: 1, skipsTime: true };
const [skeleton] = blocksOf(page("docs/writing-a-back-end.md"), "ts").filter(({ text }) =>
  text.includes("todo("),
);

describe("the skeleton of a back end", () => {
  const workshop = openWorkshop();
  let create: () => Backend<never>;
  beforeAll(async () => {
    if (skeleton === undefined) throw new Error("The page has no skeleton.");
    create = (await workshop.load<{ createMyBackend: typeof create }>(skeleton)).createMyBackend;
  });
  afterAll(() => workshop.remove());

  /** Runs every case that needs no optional method, and returns the methods that the failures name. */
  async function namedBy<Port, More extends object>(
    cases: readonly PortCase<PortHarness<Port> & More>[],
    portOf: (backend: Backend<never>) => Port,
    more: More,
  ): Promise<readonly string[]> {
    const harness = {
      capabilities,
      create: async () => ({ port: portOf(create()) }),
      passTime: async () => {},
      ...more,
    };
    const runnable = runnableCases(cases, harness).filter(({ skipped }) => skipped === undefined);
    const failures = runnable.map(({ case: each }) =>
      each.run(harness).then(
        () => `${each.name} passes`,
        ({ message }: Error) => message.replace(/^Implement `(\w+)`: .+\.$/, "$1"),
      ),
    );
    return [...new Set(await Promise.all(failures))].sort();
  }

  it("fails every case of the suites with a method to write", async () => {
    const needsMethod = ({ rule }: { readonly rule: string }): boolean => rule !== "keeps.named";
    const named = {
      operations: await namedBy(operationStoreCases.filter(needsMethod), ({ operations }) => operations, {}),
      submissions: await namedBy(submissionsCases, (backend) => backend, {}),
      queue: await namedBy(queueCases, ({ queue }) => queue, { ringsWithinMs: 1 }),
    };
    expect(named).toEqual({
      operations: ["claim", "create", "get", "list", "pause", "redrive", "settle", "stats"],
      submissions: ["create", "record", "recordMany"],
      queue: ["listen", "publish"],
    });
  });
});

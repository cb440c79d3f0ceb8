import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createWorks, ended, type Works } from "./workers.js";

let works: Works;

beforeEach(() => {
  works = createWorks();
});
afterEach(() => works.close());

describe("worker processes", { timeout: 60_000 }, () => {
  it("survive work that ends its process: it fails after its attempts, and what ran beside it completes (F18)", async () => {
    await works.startWorker({ keep: true });
    const neighbours = await Promise.all(["slow", "slow", "slow"].map(works.submit));
    const poison = await works.submit("exit");
    await ended(works, poison, ...neighbours);
    expect(await works.read(poison)).toMatchObject({ state: "failed", attempt: 6 });
    expect(works.effects.filter(({ operationId }) => operationId === poison)).toHaveLength(5);
    // Five crashes used up the attempts of the culprit and of nobody else: from the first on they ran one at a time.
    for (const id of neighbours) expect(await works.read(id)).toMatchObject({ state: "completed" });
  });
});

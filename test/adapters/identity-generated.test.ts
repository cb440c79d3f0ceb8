import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WireRequest } from "../support/adapter-suite/fixtures/adapter-case.js";
import { effort, FIRST_SEED, isNight } from "../support/effort.js";
import { beyondFetch, canBeFetched, reasonsBeyondFetch } from "./beyond-fetch.js";
import { MAX_BYTES } from "./generated-bodies.js";
import { generatedRequest } from "./generated-requests.js";
import { adaptersOnSockets, allAdapters, type ComparedAdapter } from "./identity-adapters.js";
import { lineUp } from "./identity-lineup.js";

const SEED = isNight ? FIRST_SEED : 20_261_121;
const REQUESTS_BETWEEN_WORK = 250;
const ALL = effort(150, 2_000, 20_000);
const BEYOND_FETCH = effort(75, 500, 5_000);

/**
 * Sends `numRuns` requests to each adapter and compares the replies. Returns the statuses that occurred. An upload that
 * the client breaks off counts as 0.
 */
async function compare(
  adapters: readonly ComparedAdapter[],
  requests: fc.Arbitrary<WireRequest>,
  numRuns: number,
) {
  // No work is done here, so a request that prefers to wait would wait for the whole time.
  const lineup = await lineUp(adapters, { maxBodyBytes: MAX_BYTES, cancellable: true, maxWaitMs: 1 });
  const statuses = new Set<number>();
  let count = 0;
  const property = fc.asyncProperty(requests, async (request) => {
    const { status = 0 } = (await lineup.exchange(request)) ?? {};
    statuses.add(status);
    count += 1;
    if (count % REQUESTS_BETWEEN_WORK === 0) await lineup.work();
  });
  await fc.assert(property, { seed: SEED, numRuns });
  return { statuses: [...statuses].toSorted((a, b) => a - b), recorded: (await lineup.recorded()).length };
}

describe(`requests generated from the seed ${SEED}`, () => {
  it(`get the same replies and records from all adapters: ${ALL} that every adapter can receive`, async () => {
    const { statuses, recorded } = await compare(allAdapters, generatedRequest.filter(canBeFetched), ALL);
    expect(statuses).toEqual([0, 200, 202, 204, 304, 400, 401, 404, 405, 406, 413, 415, 422]);
    expect(recorded).toBeGreaterThan(ALL / 10);
  });

  it(`get the same replies from all adapters on sockets: ${BEYOND_FETCH} beyond the Fetch API`, async () => {
    const reasons = new Set<string>();
    const requests = generatedRequest.filter((request) => {
      const found = reasonsBeyondFetch(request);
      for (const reason of found) reasons.add(reason);
      return found.length > 0;
    });
    await compare(adaptersOnSockets, requests, BEYOND_FETCH);
    expect([...reasons].toSorted()).toEqual(Object.keys(beyondFetch).toSorted());
  });
});

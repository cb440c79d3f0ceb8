import { createHash } from "node:crypto";
import { createMemoryBackend } from "async-request-reply";
import { createOperator } from "async-request-reply/operator";
import { createManualClock } from "async-request-reply/testing";
import { expect, it } from "vitest";
import { exportsOf } from "../support/operator/stage.js";

const ID = "01900000-0000-7000-8000-00000000ffff";
const ENDED_AT = Date.UTC(2026, 0, 1, 12);

/** Redrives the same failed operation on a new back end, and returns the ids of the successor and its follow-up. */
async function redriveIds(
  waitMs: number,
  hash?: (text: string) => string | Promise<string>,
): Promise<readonly unknown[]> {
  const clock = createManualClock(ENDED_AT);
  const backend = createMemoryBackend({ clock });
  const onEnd = { id: `${ID.slice(0, -1)}e`, definition: "exports", input: "1", retentionMs: 60_000 };
  const operation = { id: ID, tenant: "a", definition: "exports", input: "1", retentionMs: 60_000, onEnd };
  await backend.operations.create(operation);
  await backend.operations.requestCancel(ID, "a");
  await clock.advance(waitMs);
  const runtime = hash === undefined ? { clock } : { clock, hash };
  const operator = createOperator({ backend, definitions: [exportsOf], runtime });
  const { operation: successor } = await operator.redrive(ID);
  return [successor?.operationId, successor?.followUpId];
}

it("the ids of a successor and its follow-up depend only on the failed operation, in all versions", async () => {
  const expected = ["019b796d-d600-71f2-a651-658668b49011", "019b796d-d600-74fd-bba5-b28e98d723c6"];
  expect(await redriveIds(0)).toEqual(expected);
  expect(await redriveIds(40_000)).toEqual(expected);
  const slow = async (text: string): Promise<string> => createHash("sha256").update(text).digest("base64url");
  expect(await redriveIds(0, slow)).toEqual(expected);
});

import { expect, it } from "vitest";
import type { AdapterHarness } from "../support/adapter-suite/fixtures/adapter-case.js";
import { mountOrders, request, submission } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { watchReads } from "../support/adapter-suite/fixtures/reads.js";
import { operationIdOf } from "../support/adapter-suite/fixtures/reply-checks.js";
import { firstAdapter, otherAdapters } from "./identity-adapters.js";
import { transcribe } from "./identity-transcript.js";

/** Streams an operation from its first state to its end. Nothing else changes, so that no state can be skipped. */
async function streamToTheEnd(harness: AdapterHarness): Promise<void> {
  const { backend, read } = watchReads(harness.createBackend(), "get");
  const { send } = await mountOrders(harness, { backend, cancellable: true });
  const path = `/operations/${operationIdOf(await send(submission()))}`;
  const streaming = send(request("GET", path, { accept: "text/event-stream" }));
  await read;
  await send(request("DELETE", path));
  expect((await streaming).body.match(/^id: /gm)).toHaveLength(2);
}

it.each(otherAdapters)("a stream has the same bytes behind $adapter as behind Node", async (other) => {
  const expected = await transcribe(firstAdapter.createHarness(), streamToTheEnd);
  expect(await transcribe(other.createHarness(), streamToTheEnd)).toEqual(expected);
});

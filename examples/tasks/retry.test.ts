/** Tests a service and its worker without sockets, servers and waiting. Run `npx vitest run examples/tasks`. */
import { allowAnonymous, createService, createWorker, defineOperation } from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { expect, it, vi } from "vitest";
import * as z from "zod";

const videos = defineOperation({ name: "videos", path: "/videos", input: z.object({ file: z.string() }) });
const headers = { "content-type": "application/json" };

it("transcodes a video in the second attempt if the first one fails", async () => {
  const clock = createManualClock();
  const service = createService({
    definitions: [videos],
    authorize: allowAnonymous(),
    runtime: { clock },
    observe: false,
  });
  const transcode = vi.fn().mockRejectedValueOnce(new Error("no space left")).mockResolvedValue("cat.mp4");
  const worker = createWorker(service, { videos: transcode });

  const body = JSON.stringify({ file: "cat.mov" });
  const accepted = await service.handle({ method: "POST", path: "/videos", headers, body });
  expect(accepted.status).toBe(202);
  await worker.runUntilIdle(); // The first attempt fails.
  await clock.advance(1_000); // The second one is due within a second.
  await worker.runUntilIdle();
  const read = await service.handle({ method: "GET", path: accepted.headers.location ?? "", headers: {} });
  expect(JSON.parse(String(read.body))).toMatchObject({ status: "completed", attempt: 2, result: "cat.mp4" });
});

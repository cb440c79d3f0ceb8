import { describe, expect, it } from "vitest";
import { createOrdersClient } from "../support/orders-client.js";
import { sendCommand } from "./short-example.js";
import { startTaskServer } from "./task-process.js";

describe("the example with API and worker in one process", () => {
  it("answers its command with 202, does the work, and shuts down cleanly on SIGTERM", async () => {
    const task = await startTaskServer("one-process.js");
    const first = await sendCommand("tasks/one-process.ts", task.baseUrl);
    const second = await sendCommand("tasks/one-process.ts", task.baseUrl);
    expect([first.status, second.status]).toEqual([202, 202]);
    const location = first.headers.get("location") ?? "";
    expect(second.headers.get("location")).toBe(location);
    expect(await createOrdersClient(task.baseUrl).settled(location)).toMatchObject({
      status: "completed",
      result: { url: "https://cdn.example/cat.mov.mp4" },
    });
    expect(await task.stop()).toBe(0);
    expect(task.stdout.all()).toEqual(["transcoding cat.mov"]);
  });
});

describe("the example that creates the resource before the reply", () => {
  it("answers its command with the video, serves it at its Location, and does the work", async () => {
    const { baseUrl, stdout, stop } = await startTaskServer("create-before-reply.js");
    const first = await sendCommand("tasks/create-before-reply.ts", baseUrl);
    const video = (await first.json()) as { readonly id: string };
    const location = first.headers.get("location") ?? "";
    expect(first.status).toBe(201);
    expect(video).toEqual({ id: expect.any(String), file: "cat.mov" });
    expect(location).toBe(`/videos/${video.id}`);
    expect(await (await fetch(baseUrl + location)).json()).toEqual(video);
    expect((await fetch(`${baseUrl}/videos/unknown`)).status).toBe(404);

    const operation = first.headers.get("operation-location") ?? "";
    expect(await createOrdersClient(baseUrl).settled(operation)).toMatchObject({ status: "completed" });
    const second = await sendCommand("tasks/create-before-reply.ts", baseUrl);
    expect([second.status, second.headers.get("location")]).toEqual([201, location]);
    expect(await second.json()).toEqual(video);
    await stop();
    expect(stdout.all()).toEqual(["transcoding cat.mov"]);
  });
});

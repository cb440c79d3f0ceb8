import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { sendCommand } from "../examples/short-example.js";
import { startTask, startTaskServer } from "../examples/task-process.js";
import { createOrdersClient } from "../support/orders-client.js";
import { describeOnPostgres } from "./use-postgres.js";

describeOnPostgres("the examples on Postgres", (postgres) => {
  const variablesOf = (database: string) => ({
    PGHOST: "127.0.0.1",
    PGPORT: String(postgres().port),
    PGUSER: "postgres",
    PGDATABASE: database,
  });

  it("accept work in one process, run it in another, and shut down cleanly on SIGTERM", async () => {
    await postgres().query("create database separate");
    const variables = variablesOf("separate");
    const api = await startTaskServer("separate-processes/api.js", variables);
    const response = await sendCommand("tasks/separate-processes/api.ts", api.baseUrl);
    expect(response.status).toBe(202);
    const location = response.headers.get("location") ?? "";
    const client = createOrdersClient(api.baseUrl);
    expect(await client.read(location)).toMatchObject({ status: "pending" });
    const worker = await startTask("separate-processes/worker.js", variables);
    expect(await client.settled(location)).toMatchObject({
      status: "completed",
      result: { url: "https://cdn.example/cat.mov.mp4" },
    });
    expect([await api.stop(), await worker.stop()]).toEqual([0, 0]);
  });

  describe("in transactions", () => {
    type Example = typeof import("../../examples/tasks/submit-in-transaction.js");
    let example: Example;
    beforeAll(async () => {
      // The deferred constraint is checked at the commit, after the submission.
      await postgres().query(`create table videos (
        id uuid primary key default gen_random_uuid(),
        file text unique deferrable initially deferred,
        url text
      )`);
      for (const [name, value] of Object.entries(variablesOf("postgres"))) vi.stubEnv(name, value);
      example = await import("../../examples/tasks/submit-in-transaction.js");
    });
    afterAll(async () => {
      await example?.service.close();
      await example?.pool.end();
      vi.unstubAllEnvs();
    });

    const videos = () =>
      postgres().query<{ id: string; file: string; url: string | null }>("select * from videos");
    const operations = () =>
      postgres().query<{ id: string; state: string; attempt: number }>(
        "select id, state, attempt from async_request_reply.operations",
      );

    it("submit work and insert a row in one commit, or roll back both", async () => {
      const id = await example.addVideo("cat.mov");
      await expect(example.addVideo("cat.mov")).rejects.toMatchObject({ code: "23505" });
      expect(await videos()).toEqual([{ id: expect.any(String), file: "cat.mov", url: null }]);
      expect(await operations()).toEqual([{ id, state: "pending", attempt: 0 }]);
    });

    it("write rows and complete the work in one commit, or roll back both", async () => {
      const worker = await startTask("complete-in-transaction.js", variablesOf("postgres"));
      // The second statement fails until its table exists.
      await expect.poll(async () => (await operations())[0]?.attempt).toBeGreaterThan(1);
      expect(await videos()).toMatchObject([{ url: null }]);
      await postgres().query("create table mails (subject text)");
      await expect.poll(async () => (await operations())[0]?.state).toBe("completed");
      const [video] = await videos();
      const url = `https://cdn.example/${video?.id}.mp4`;
      expect(video).toMatchObject({ file: "cat.mov", url });
      expect(await postgres().query("select subject from mails")).toEqual([
        { subject: `Your video is ready: ${url}` },
      ]);
      expect(await worker.stop()).toBe(0);
    });
  });
});

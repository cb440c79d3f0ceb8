/** Calls the tools with the clients of the SDK. Run `npm ci --prefix examples/mcp-tools && npm run test:runtimes`. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Client } from "@modelcontextprotocol/client";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import {
  createMemoryBackend,
  createService,
  createWorker,
  defineOperation,
  permanentFailure,
  unauthenticated,
} from "async-request-reply";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { createTools } from "./create-tools.js";
import { connect, connectWithTasks, type Handle } from "./mcp-client.js";
import server, { service as serverService } from "./server.js";

const input = z.strictObject({ month: z.string() });
const reports = defineOperation({ name: "reports", path: "/reports", input, cancellable: true });
const backups = defineOperation({ name: "backups", path: "/backups", input });

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const november = { month: "2026-11", idempotencyKey: "key-of-november" };
const anyTask = z.looseObject({ status: z.string() });
const processed = vi.fn();
const reported = vi.fn();

let close: () => Promise<void>;
let work: () => Promise<void>;
let handle: Handle;

beforeEach(() => {
  processed.mockClear();
  reported.mockClear();
  const service = createService({
    definitions: [reports, backups],
    backend: createMemoryBackend(),
    authorize: () => undefined,
    observe: false,
  });
  const worker = createWorker(service, {
    reports: ({ month }) => {
      processed(month);
      if (month === "never") throw permanentFailure("There is no such month.");
      return { pages: 3 };
    },
    backups: () => [],
  });
  const registerTools = createTools({
    service,
    waitMs: 50,
    principal({ http }) {
      const user = http?.authInfo?.extra?.user;
      if (user === "signed-out") throw unauthenticated("Sign in first.");
      if (user === "error") throw new Error("connect ECONNREFUSED 10.0.0.1");
      return { id: String(user) };
    },
  });
  const handler = createMcpHandler(() => {
    const mcp = new McpServer({ name: "test", version: "1.0.0" });
    mcp.server.onerror = reported;
    registerTools(mcp);
    return mcp;
  });
  // All users call through one application, so they share its client id.
  handle = (request) => {
    const token = request.headers.get("authorization")?.slice("Bearer ".length) ?? "";
    return handler.fetch(request, {
      authInfo: { token, clientId: "app", scopes: [], extra: { user: token } },
    });
  };
  close = () => service.close();
  work = async () => void (await worker.runUntilIdle());
});
afterEach(() => close());

describe("a client with tasks", () => {
  it("gets a task, and the result from the task once the work is done", async () => {
    const session = await connectWithTasks(handle, "anna");
    const execution = await session.callTool("reports", november);
    expect(execution.kind).toBe("task");
    await work();
    const { outcome } = await execution.settle();
    expect(outcome).toMatchObject({
      status: "completed",
      result: { structuredContent: { pages: 3 }, content: [{ type: "text", text: '{"pages":3}' }] },
      task: { status: "completed", suggestedPollIntervalMs: 1_000 },
    });
  });

  it("gets failed work as a completed task whose result is an error", async () => {
    const session = await connectWithTasks(handle, "anna");
    const execution = await session.callTool("reports", { ...november, month: "never" });
    await work();
    expect((await execution.settle()).outcome).toMatchObject({
      status: "completed",
      result: { isError: true, content: [{ type: "text", text: "There is no such month." }] },
    });
  });

  it("gets the same task again when it repeats a call with its key", async () => {
    const session = await connectWithTasks(handle, "anna");
    const { handle: first } = await session.callTool("reports", november);
    await (await connectWithTasks(handle, "anna")).callTool("reports", november);
    expect((await callAsTask("reports", november)).taskId).toBe(first?.taskId);
    await work();
    expect(processed).toHaveBeenCalledOnce();
  });

  it("gets the result at once when it repeats a call whose work is done", async () => {
    const session = await connectWithTasks(handle, "anna");
    const first = await session.callTool("reports", november);
    await work();
    await first.settle();
    const second = await session.callTool("reports", november);
    expect(second.kind).toBe("immediate");
    expect((await second.settle()).outcome).toMatchObject({ result: { structuredContent: { pages: 3 } } });
  });

  it("cancels a task", async () => {
    const session = await connectWithTasks(handle, "anna");
    const execution = await session.callTool("reports", november);
    await execution.cancel();
    await work();
    expect((await execution.settle()).outcome).toMatchObject({ status: "cancelled" });
    expect(processed).not.toHaveBeenCalled();
  });

  it("cannot cancel work whose definition does not allow it", async () => {
    const { taskId } = await callAsTask("backups", november);
    const client = await connect(handle, "anna", "tasks");
    await client.request({ method: "tasks/cancel", params: { taskId } }, z.looseObject({}));
    expect(await getTask(client, taskId)).toMatchObject({ status: "working", ttlMs: null });
    await work();
    expect(await getTask(client, taskId)).toMatchObject({
      status: "completed",
      result: { content: [{ text: "[]" }] },
    });
  });

  it("sees no task of another user of the same application", async () => {
    const { taskId } = await callAsTask("reports", november);
    const ben = await connect(handle, "ben", "tasks");
    await expect(getTask(ben, taskId)).rejects.toMatchObject({ code: -32602, message: "Task not found." });
    expect((await callAsTask("reports", { ...november, month: "2026-10" }, "ben")).taskId).not.toBe(taskId);
  });

  it.each(["tasks/get", "tasks/cancel", "tasks/update"])(
    "gets an error for an unknown task from %s",
    async (method) => {
      const client = await connect(handle, "anna", "tasks");
      const params = { taskId: "reports:00000000-0000-7000-8000-000000000000" };
      await expect(client.request({ method, params }, z.looseObject({}))).rejects.toMatchObject({
        code: -32602,
      });
    },
  );
});

describe("a client without tasks", () => {
  it.each(["tasks/get", "tasks/cancel", "tasks/update"])(
    "learns from %s that it has to declare the extension",
    async (method) => {
      const { taskId } = await callAsTask("reports", november);
      const client = await connect(handle, "anna", "no tasks");
      await expect(client.request({ method, params: { taskId } }, z.looseObject({}))).rejects.toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } },
      });
    },
  );

  it.each([
    ["of the current version", "no tasks"],
    ["of the previous version", undefined],
  ] as const)("%s waits, and gets the result when it calls again", async (_version, tasks) => {
    const client = await connect(handle, "anna", tasks);
    // Node 20 forgets time limits that only `AbortSignal.any` refers to when it collects garbage.
    const collecting = setInterval(collectGarbage, 10);
    const waited = await client.callTool({ name: "reports", arguments: november });
    clearInterval(collecting);
    expect(waited.content).toMatchObject([{ text: expect.stringContaining("call this tool again") }]);
    expect(waited.isError).toBeUndefined();
    await work();
    const result = await client.callTool({ name: "reports", arguments: november });
    expect(result.structuredContent).toEqual({ pages: 3 });
    expect(processed).toHaveBeenCalledOnce();
  });
});

describe("every client", () => {
  let client: Client;
  beforeEach(async () => {
    client = await connect(handle, "anna");
  });

  it("finds the schema of the input and a required key in the list of tools", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["reports", "backups"]);
    expect(tools[0]?.inputSchema).toMatchObject({
      properties: { month: { type: "string" }, idempotencyKey: { type: "string" } },
      required: ["month", "idempotencyKey"],
      additionalProperties: false,
    });
  });

  it.each([
    ["without a key", { month: "2026-11" }, "idempotencyKey"],
    ["with wrong arguments", { ...november, month: 11 }, "month must be string"],
    ["with a malformed key", { ...november, idempotencyKey: "ä" }, "Idempotency-Key"],
  ])("learns what is wrong with a call %s", async (_call, args, message) => {
    const { isError, content } = await client.callTool({ name: "reports", arguments: args });
    expect({ isError, content }).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining(message) }],
    });
  });

  it("cannot use a key for other arguments", async () => {
    await callAsTask("reports", november);
    const reused = await client.callTool({ name: "reports", arguments: { ...november, month: "2026-10" } });
    expect(reused).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("different payload") }],
    });
  });

  it("learns why it is refused", async () => {
    const refused = await (await connect(handle, "signed-out")).callTool({
      name: "reports",
      arguments: november,
    });
    expect(refused).toMatchObject({ isError: true, content: [{ text: "Sign in first." }] });
  });

  it("learns nothing about errors inside the server", async () => {
    const broken = await (await connect(handle, "error")).callTool({ name: "reports", arguments: november });
    expect(broken).toMatchObject({ isError: true, content: [{ text: "Something went wrong." }] });
    expect(reported).toHaveBeenCalledWith(
      expect.objectContaining({ message: "connect ECONNREFUSED 10.0.0.1" }),
    );
  });
});

describe("server.ts", () => {
  it("answers a call with a token, and refuses one without", async () => {
    const anna = await connect(server.fetch, "anna-token");
    const report = await anna.callTool({ name: "reports", arguments: november });
    expect(report.structuredContent).toEqual({ url: "https://reports.example/2026-11.pdf" });
    await expect(connect(server.fetch, "wrong-token")).rejects.toThrow("Unknown token");
    await serverService.close();
  });
});

async function callAsTask(
  name: string,
  args: Record<string, string>,
  token = "anna",
): Promise<{ readonly taskId: string }> {
  const execution = await (await connectWithTasks(handle, token)).callTool(name, args);
  if (execution.kind !== "task") throw new Error(`Expected a task, not the outcome of ${name}.`);
  return execution.handle;
}

function getTask(client: Client, taskId: string): Promise<z.output<typeof anyTask>> {
  return client.request({ method: "tasks/get", params: { taskId } }, anyTask);
}

/**
 * An MCP server with one tool, `reports`, as a fetch handler. Any platform can serve it, such as Bun:
 * `npm ci --prefix examples/mcp-tools && bun examples/mcp-tools/server.ts`. Connect a client with the token `anna-token`.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { createService, createWorker, defineOperation } from "async-request-reply";
import * as z from "zod";
import { authenticate, principal } from "./authentication.js";
import { createTools } from "./create-tools.js";

const reports = defineOperation({
  name: "reports",
  path: "/reports",
  input: z.strictObject({ month: z.string().describe("Year and month, such as 2026-11.") }),
  result: z.object({ url: z.url() }),
  cancellable: true,
});
// Allows no requests to `/reports`. Calls of tools are not affected: `principal` says who may call.
export const service = createService({ definitions: [reports], authorize: () => undefined });
const worker = createWorker(service, {
  reports: async ({ month }, { signal }) => {
    await sleep(300, undefined, { signal });
    return { url: `https://reports.example/${month}.pdf` };
  },
});
await worker.start();

const registerTools = createTools({ service, principal });
const handler = createMcpHandler(() => {
  const mcp = new McpServer({ name: "reports", version: "1.0.0" });
  mcp.server.onerror = console.error;
  registerTools(mcp);
  return mcp;
});

export default {
  async fetch(request: Request): Promise<Response> {
    const authInfo = await authenticate(request);
    return authInfo instanceof Response ? authInfo : handler.fetch(request, { authInfo });
  },
};

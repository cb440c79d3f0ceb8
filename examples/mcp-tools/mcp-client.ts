/** Connects the clients of the SDK to a fetch handler, without sockets. For the tests of this example. */
import { Client, type FetchLike, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  createTaskSessionFromClient,
  type JsonRpcResponse,
  type RawClientDispatch,
  type TaskEnabledSession,
} from "@modelcontextprotocol/ext-tasks/client";

const VERSION = "2026-07-28";
const URL_OF_SERVER = new URL("http://mcp.example/");
const clientInfo = { name: "test", version: "1.0.0" };
const clientCapabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };

/** Answers requests to the server under test. */
export type Handle = (request: Request) => Promise<Response>;

/** Connects a client. By default it supports neither tasks nor the version of the protocol that has them. */
export async function connect(handle: Handle, token: string, tasks?: "tasks" | "no tasks"): Promise<Client> {
  const client = new Client(clientInfo, {
    capabilities: tasks === "tasks" ? clientCapabilities : {},
    ...(tasks === undefined ? {} : { versionNegotiation: { mode: { pin: VERSION } } }),
  });
  const fetch: FetchLike = (url, init) => handle(new Request(url, init));
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(URL_OF_SERVER, { fetch, requestInit }));
  return client;
}

/** Connects a client that calls tools as tasks. */
export async function connectWithTasks(handle: Handle, token: string): Promise<TaskEnabledSession> {
  return createTaskSessionFromClient(await connect(handle, token, "tasks"), {
    endpointId: "test",
    rawDispatch: dispatchTo(handle, token),
    v2RequestFraming: { protocolVersion: VERSION, clientInfo, clientCapabilities },
  });
}

type Reply = {
  readonly result: Extract<JsonRpcResponse, { kind: "result" }>["result"];
  readonly error?: Extract<JsonRpcResponse, { kind: "error" }>["error"];
};

/** Sends requests as they are, because `Client` accepts no task as the reply to a call. */
function dispatchTo(handle: Handle, token: string): RawClientDispatch {
  let id = 0;
  return async (request) => {
    const { method, params } = request as {
      readonly method: string;
      readonly params: { readonly name?: string; readonly taskId?: string };
    };
    id += 1;
    const response = await handle(
      new Request(URL_OF_SERVER, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          accept: "application/json, text/event-stream",
          "content-type": "application/json",
          "mcp-protocol-version": VERSION,
          "mcp-method": method,
          "mcp-name": params.name ?? params.taskId ?? "",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
      }),
    );
    const { result, error } = (await response.json()) as Reply;
    return error === undefined ? { kind: "result", result } : { kind: "error", error };
  };
}

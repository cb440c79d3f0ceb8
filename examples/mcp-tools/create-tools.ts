/**
 * Offers the definitions of a service as tools of an MCP server. Follows version 2026-07-28 of the extension
 * `io.modelcontextprotocol/tasks`. The extension, and its support in the SDK, are still changing.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  fromJsonSchema,
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import {
  isAsyncReplyError,
  type OperationDefinition,
  type Principal,
  type Service,
} from "async-request-reply";
import * as z from "zod";
import { toTask, toToolResult } from "./to-task.js";

const TASKS = "io.modelcontextprotocol/tasks";
const taskRequest = { params: z.looseObject({ taskId: z.string() }), result: z.looseObject({}) };

export interface ToolsOptions {
  /** Service that accepts the calls. */
  readonly service: Service;
  /**
   * Returns the caller of a request, or throws `unauthenticated()` or `forbidden()`. Must not return the OAuth client
   * id, which identifies an application: all its users would share their operations and keys.
   */
  readonly principal: (context: ServerContext) => Principal | Promise<Principal>;
  /**
   * How long a call waits for the result if the client does not support tasks. Milliseconds. Default: 45 s, because
   * clients time out after 60 s by default.
   */
  readonly waitMs?: number;
}

/**
 * Returns a function that registers a tool for every definition, and the methods of tasks. Call it for every server,
 * before the server connects.
 *
 * Throws if a definition has no JSON Schema.
 */
export function createTools({ service, principal, waitMs = 45_000 }: ToolsOptions): (mcp: McpServer) => void {
  // Compiled once, because the SDK creates a server for every request.
  const tools = service.definitions.map((definition) => [definition, inputSchemaOf(definition)] as const);

  async function call(
    definition: OperationDefinition,
    args: Arguments,
    { tenant, hasTasks, signal }: Caller,
  ) {
    const { idempotencyKey: key, ...input } = args;
    const { operationId: id, status } = await service.submit(definition, input, { tenant, key });
    if (status === "pending" && !hasTasks) {
      const wait = limitWait(waitMs, signal);
      // Only waits. The operation that is read next has the result, or the reason for the failure.
      await service.result(definition, id, { tenant, signal: wait.signal }).catch(() => undefined);
      wait.end();
    }
    const operation = await service.get(definition, id, { tenant });
    if (operation === undefined) throw new Error(`Operation ${id} has been deleted.`);
    if (operation.status !== "pending" || !hasTasks) return toToolResult(operation);
    // The SDK checks that every reply to a call has content.
    return { ...toTask(definition, operation), resultType: "task", content: [] };
  }

  async function find(taskId: string, { tenant, hasTasks }: Caller) {
    if (!hasTasks)
      throw new MissingRequiredClientCapabilityError({
        requiredCapabilities: { extensions: { [TASKS]: {} } },
      });
    const [name, id = ""] = taskId.split(":");
    const definition = service.definitions.find((each) => each.name === name);
    const operation = definition && (await service.get(definition, id, { tenant }));
    if (definition === undefined || operation === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Task not found.");
    return { definition, operation };
  }

  type Task = Awaited<ReturnType<typeof find>>;
  return (mcp) => {
    const answer = createAnswer(principal, (error) => mcp.server.onerror?.(error));
    for (const [definition, inputSchema] of tools)
      mcp.registerTool(
        definition.name,
        { inputSchema },
        answer((args: Arguments, caller) => call(definition, args, caller)),
      );
    const serve = (method: string, reply: (task: Task, caller: Caller) => object | Promise<object>) =>
      mcp.server.setRequestHandler(
        method,
        taskRequest,
        answer(async ({ taskId }: TaskRequest, caller) => ({
          ...(await reply(await find(taskId, caller), caller)),
        })),
      );
    mcp.server.registerCapabilities({ extensions: { [TASKS]: {} } });
    serve("tasks/get", ({ definition, operation }) => toTask(definition, operation));
    serve("tasks/cancel", async ({ definition, operation }, { tenant }) => {
      // A server may ignore a cancellation, but has to acknowledge it.
      if (definition.cancellable) await service.cancel(operation.operationId, { tenant });
      return {};
    });
    // Work asks its caller for nothing, so there is nothing to update.
    serve("tasks/update", () => ({}));
  };
}

interface Arguments {
  readonly idempotencyKey: string;
}

interface TaskRequest {
  readonly taskId: string;
}

interface Caller {
  readonly tenant: string;
  /** Whether the client supports tasks. It declares this in every request. */
  readonly hasTasks: boolean;
  /** Aborted if the client cancels the request or goes away. */
  readonly signal: AbortSignal;
}

/** Returns a signal that is aborted with another one, or after a time. `AbortSignal.any` can lose the time on Node 20. */
function limitWait(
  ms: number,
  caller: AbortSignal,
): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController();
  const end = (): void => {
    clearTimeout(timer);
    caller.removeEventListener("abort", end);
    controller.abort();
  };
  const timer = setTimeout(end, ms);
  caller.addEventListener("abort", end);
  if (caller.aborted) end();
  return { signal: controller.signal, end };
}

/** Passes the caller to handlers, and sends only errors that are written for clients. Reports all others. */
function createAnswer(principal: ToolsOptions["principal"], report: (error: Error) => void) {
  return <Params, Reply>(handler: (params: Params, caller: Caller) => Promise<Reply>) =>
    async (params: Params, context: ServerContext): Promise<Reply> => {
      try {
        const { id, tenant = id } = await principal(context);
        const { signal, envelope = {} } = context.mcpReq;
        const declared: { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } = envelope;
        const hasTasks = declared[CLIENT_CAPABILITIES_META_KEY]?.extensions?.[TASKS] !== undefined;
        return await handler(params, { tenant, hasTasks, signal });
      } catch (error) {
        if (error instanceof ProtocolError) throw error;
        if (isAsyncReplyError(error)) throw new ProtocolError(ProtocolErrorCode.InternalError, error.detail);
        report(error as Error);
        throw new ProtocolError(ProtocolErrorCode.InternalError, "Something went wrong.");
      }
    };
}

/** Returns the JSON Schema of the input with an `idempotencyKey`. It transforms nothing: `submit` does that. */
function inputSchemaOf({ name, jsonSchema }: OperationDefinition) {
  const { properties, required = [] } = (jsonSchema ?? {}) as { properties?: object; required?: string[] };
  if (properties === undefined || "idempotencyKey" in properties)
    throw new Error(`The JSON Schema of "${name}" must have properties, and none called idempotencyKey.`);
  const idempotencyKey = {
    type: "string",
    description: "New UUID for new work. To repeat a call, pass its arguments and its idempotencyKey again.",
  };
  return fromJsonSchema<Arguments>({
    ...jsonSchema,
    properties: { ...properties, idempotencyKey },
    required: [...required, "idempotencyKey"],
  });
}

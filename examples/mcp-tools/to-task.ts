/** Converts operations for MCP clients: to results of tools, and to tasks of `io.modelcontextprotocol/tasks`. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { OperationDefinition, OperationView } from "async-request-reply";

type Operation = OperationView<OperationDefinition>;

/** How often clients should poll a task. Milliseconds. */
const POLL_INTERVAL_MS = 1_000;

const STILL_RUNNING =
  "The work is still running. To get its result, call this tool again with the same arguments and idempotencyKey.";

/** Returns the result of a tool call that is not answered with a task. */
export function toToolResult(operation: Operation): CallToolResult {
  if (operation.status === "pending") return text(STILL_RUNNING);
  if (operation.status === "failed")
    return { ...text(operation.error.detail ?? operation.error.title), isError: true };
  const { result = null } = operation;
  const isObject = typeof result === "object" && result !== null && !Array.isArray(result);
  return { ...text(JSON.stringify(result)), ...(isObject ? { structuredContent: { ...result } } : {}) };
}

function text(value: string): CallToolResult {
  return { content: [{ type: "text", text: value }] };
}

/** Returns the task of an operation, with its result if it has ended. */
export function toTask({ name, retentionMs, failedRetentionMs }: OperationDefinition, operation: Operation) {
  const { operationId, status, createdAt } = operation;
  const endedAt = status === "pending" ? undefined : operation.finishedAt;
  return {
    // Reading an operation takes its definition and its id.
    taskId: `${name}:${operationId}`,
    createdAt: createdAt.toISOString(),
    lastUpdatedAt: (endedAt ?? createdAt).toISOString(),
    // The extension counts from the creation. The service keeps an operation after its end.
    ttlMs:
      endedAt === undefined
        ? null
        : endedAt.getTime() - createdAt.getTime() + (status === "failed" ? failedRetentionMs : retentionMs),
    pollIntervalMs: POLL_INTERVAL_MS,
    ...statusOf(operation),
  };
}

function statusOf(operation: Operation) {
  if (operation.status === "pending") {
    const { progress } = operation;
    return {
      status: "working",
      ...(progress === undefined ? {} : { statusMessage: JSON.stringify(progress) }),
    };
  }
  if (operation.status === "failed" && operation.error.name === "cancelled") return { status: "cancelled" };
  // Work that failed is `completed` with `isError`. The status `failed` is for errors of the protocol.
  return { status: "completed", result: { resultType: "complete", ...toToolResult(operation) } };
}

import {
  createMemoryBackend,
  createOrderService,
  createWorker,
  type OrderServiceOptions,
} from "async-request-reply";
import type { Operation } from "async-request-reply/ports";
import type { WireRequest } from "../support/adapter-suite/fixtures/adapter-case.js";
import { startServer, writeRequest } from "../support/node-harness.js";
import type { RawReply } from "../support/raw-connection.js";

/** An order service behind a real socket that accepts any bytes. Each post is by a new tenant, so none affects another. */
export interface OrderServer {
  /** Posts a body with these fields on a new connection. Default content type: application/json. */
  post(body: Uint8Array | string, fields?: WireRequest["headers"]): Promise<RawReply>;
  /** Posts as the tenant of the last post. */
  postAgain: OrderServer["post"];
  /** Returns the operations of the tenant of the last post. */
  recorded(): Promise<readonly Operation[]>;
  /** Runs all due work and returns the input that the processor got for the operation of this reply. */
  processedFor(reply: RawReply): Promise<unknown>;
  close(): Promise<void>;
}

/** Starts an order server. Its body limit is high, so that only the contents of a body decide the reply. */
export async function startOrderServer(formats: OrderServiceOptions["formats"] = []): Promise<OrderServer> {
  const backend = createMemoryBackend();
  let posts = 0;
  const authorize = (): { id: string; tenant: string } => ({ id: "ann", tenant: `tenant-${posts}` });
  const service = createOrderService({ backend, authorize, formats, maxBodyBytes: 1_000_000 });
  const server = await startServer(service);
  const send: OrderServer["post"] = async (body, fields = []) => {
    const connection = server.connect();
    const isTyped = fields.some(([name]) => name === "content-type");
    const headers = isTyped ? fields : ([["content-type", "application/json"], ...fields] as const);
    await writeRequest(connection, { method: "POST", path: "/orders", headers, body });
    const reply = await connection.read("POST");
    connection.abort();
    return reply;
  };
  return {
    post: (body, fields) => {
      posts += 1;
      return send(body, fields);
    },
    postAgain: send,
    recorded: async () => {
      const listed = await backend.operations.list({ tenant: `tenant-${posts}`, limit: 10 });
      return await backend.operations.getMany((listed ?? []).map(({ id }) => id));
    },
    processedFor: async ({ body }) => {
      const inputs = new Map<string, unknown>();
      const worker = createWorker(service, {
        orders: (order, { operationId }) => void inputs.set(operationId, order),
      });
      await worker.runUntilIdle();
      return inputs.get((JSON.parse(body) as { operationId: string }).operationId);
    },
    close: server.close,
  };
}

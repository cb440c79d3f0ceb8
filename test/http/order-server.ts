import {
  createMemoryBackend,
  createOrderService,
  createWorker,
  type OrderServiceOptions,
  type ProblemName,
} from "async-request-reply";
import { type Operation, problemType } from "async-request-reply/ports";
import { afterAll, beforeAll, expect } from "vitest";
import type { WireRequest } from "../support/adapter-suite/fixtures/adapter-case.js";
import { startServer, writeRequest } from "../support/node-harness.js";
import type { RawReply } from "../support/raw-connection.js";

/** An order service behind a real socket that accepts any bytes. Each post is by a new tenant, so none affects another. */
export interface OrderServer {
  /** Posts a body with these fields on a new connection. */
  post(body: Uint8Array | string, fields?: WireRequest["headers"]): Promise<RawReply>;
  /** Posts as the tenant of the last post. */
  postAgain: OrderServer["post"];
  /** Returns the operations of the tenant of the last post. */
  recorded(): Promise<readonly Operation[]>;
  /** Runs all due work and returns the input that the processor got for the operation of this reply. */
  processedFor(reply: RawReply): Promise<unknown>;
  /** Expects that the last post was refused with this problem in JSON, and that nothing was recorded. */
  expectRefused(reply: RawReply, status: number, problem: ProblemName): Promise<void>;
  /** Expects that a body which is no order was refused: one to `accept` with 422, others as malformed with 400. */
  expectJudged(reply: RawReply, verdict: string): Promise<void>;
}

/**
 * Starts an order server for the tests of a file. Its body limit is high, so that only the contents of a body decide
 * the reply. `contentType` is that of posts without one.
 */
export function useOrderServer(
  formats: OrderServiceOptions["formats"] = [],
  contentType = "application/json",
): OrderServer {
  const backend = createMemoryBackend();
  let posts = 0;
  const authorize = () => ({ id: "ann", tenant: `tenant-${posts}` });
  const service = createOrderService({ backend, authorize, formats, maxBodyBytes: 1_000_000 });
  let server: Awaited<ReturnType<typeof startServer>>;
  beforeAll(async () => {
    server = await startServer(service);
  });
  afterAll(() => server.close());

  const send: OrderServer["post"] = async (body, fields = []) => {
    const connection = server.connect();
    const isTyped = fields.some(([name]) => name === "content-type");
    const headers = isTyped ? fields : ([["content-type", contentType], ...fields] as const);
    await writeRequest(connection, { method: "POST", path: "/orders", headers, body });
    const reply = await connection.read("POST");
    connection.abort();
    return reply;
  };
  const recorded = async () => {
    const listed = await backend.operations.list({ tenant: `tenant-${posts}`, limit: 10 });
    return await backend.operations.getMany(listed.map(({ id }) => id));
  };
  const expectRefused: OrderServer["expectRefused"] = async (
    { status, headers, body },
    expected,
    problem,
  ) => {
    expect([status, JSON.parse(body).type]).toEqual([expected, problemType(problem)]);
    expect(headers).toContainEqual(["content-type", "application/problem+json"]);
    expect(await recorded()).toEqual([]);
  };
  return {
    post: (body, fields) => {
      posts += 1;
      return send(body, fields);
    },
    postAgain: send,
    recorded,
    processedFor: async ({ body }) => {
      const inputs = new Map<string, unknown>();
      const worker = createWorker(service, {
        orders: (order, { operationId }) => void inputs.set(operationId, order),
      });
      await worker.runUntilIdle();
      return inputs.get((JSON.parse(body) as { operationId: string }).operationId);
    },
    expectRefused,
    expectJudged: (reply, verdict) => {
      const isWellFormed = verdict === "accept" || (verdict === "either" && reply.status !== 400);
      return isWellFormed
        ? expectRefused(reply, 422, "contract-violation")
        : expectRefused(reply, 400, "malformed-body");
    },
  };
}

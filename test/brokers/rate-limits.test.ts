import { RateLimiterRedis } from "rate-limiter-flexible";
import { afterAll, beforeAll, describe, it } from "vitest";
import { expectSharedLimit } from "../support/rate-limits.js";
import { type Ioredis, startEmptyRedis } from "./bullmq.js";
import { loadLibrary } from "./libraries.js";
import type { PrivateBroker } from "./private-broker.js";

describe("the rate limit of docs/authorization.md", () => {
  let server: PrivateBroker;
  beforeAll(async () => {
    server = await startEmptyRedis();
  });
  afterAll(() => server.remove());

  it("is shared by processes with one Redis", async () => {
    const { Redis } = loadLibrary<Ioredis>("ioredis");
    const connect = () => new Redis(server.port, "127.0.0.1", { maxRetriesPerRequest: 0 });
    const limiter = (storeClient: object) => new RateLimiterRedis({ storeClient, points: 2, duration: 60 });
    const connections = [connect(), connect(), connect()] as const;
    for (const connection of connections) connection.on("error", () => {});
    const [one, other, ended] = connections;
    ended.disconnect();
    await expectSharedLimit([limiter(one), limiter(other)], limiter(ended));
    one.disconnect();
    other.disconnect();
  });
});

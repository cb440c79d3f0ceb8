import { RateLimiterRedis } from "rate-limiter-flexible";
import { describe, it } from "vitest";
import { expectSharedLimit } from "../support/rate-limits.js";
import { bullmq, type Ioredis, startEmptyRedis } from "./bullmq.js";
import { usePrivateBroker } from "./harnesses.js";
import { loadLibrary } from "./libraries.js";

describe("the rate limit of docs/authorization.md", () => {
  const { port } = usePrivateBroker({ ...bullmq, startServer: startEmptyRedis });

  it("is shared by processes with one Redis", async () => {
    const { Redis } = loadLibrary<Ioredis>("ioredis");
    const connect = () => new Redis(port(), "127.0.0.1", { maxRetriesPerRequest: 0 });
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

import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { freePort, startProgram, temporaryFolder } from "./private-server.mjs";

/** Synced once per second. Unlike Postgres, a power failure can lose up to a second of accepted work. */
const appendfsync = "everysec";

/** Starts a Redis for this benchmark. Returns undefined if Redis is not installed. */
export async function startRedis() {
  if (spawnSync("redis-server", ["--version"]).error !== undefined) return undefined;
  const { folder, remove } = temporaryFolder(tmpdir(), "bench-redis-");
  const port = await freePort();
  const options = { port, bind: "127.0.0.1", dir: folder, save: "", appendonly: "yes", appendfsync };
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const server = await startProgram("redis-server", flags, { ready: "Ready to accept connections" });
  return {
    pid: server.pid,
    url: `redis://127.0.0.1:${port}`,
    description: `Redis: appendonly yes, appendfsync ${appendfsync}.`,
    stop: async () => {
      await server.stop();
      remove();
    },
  };
}

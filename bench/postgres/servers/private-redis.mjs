import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { freePort, startProgram, temporaryFolder } from "./private-server.mjs";

/** Written down every second: what a power failure takes is up to a second of accepted work, unlike on Postgres. */
export const appendfsync = "everysec";

/** A Redis of this bench's own, if there is one to start. */
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
    stop: async () => {
      await server.stop();
      remove();
    },
  };
}

import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { freePort, startProgram, temporaryFolder } from "../../postgres/servers/private-server.mjs";

/** Starts a NATS server with JetStream for this benchmark. Returns undefined if it is not installed. */
export async function startNats() {
  const { error, stdout } = spawnSync("nats-server", ["--version"], { encoding: "utf8" });
  if (error !== undefined) return undefined;
  const { folder, remove } = temporaryFolder(tmpdir(), "bench-nats-");
  const port = await freePort();
  const flags = ["-a", "127.0.0.1", "-p", String(port), "-js", "-sd", folder];
  const server = await startProgram("nats-server", flags, { ready: "Server is ready" });
  return {
    pid: server.pid,
    url: `nats://127.0.0.1:${port}`,
    description: `NATS ${stdout.trim().split(" ").at(-1)}: file storage, one replica.`,
    stop: async () => {
      await server.stop();
      remove();
    },
  };
}

import { existsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, startProgram, temporaryFolder } from "../../postgres/servers/private-server.mjs";

/** The script of Debian's package in `/usr/sbin` would run it as another account. */
const PROGRAM = "/usr/lib/rabbitmq/bin/rabbitmq-server";

/** Starts RabbitMQ for this benchmark. Returns undefined if it is not installed. */
export async function startRabbitmq() {
  if (!existsSync(PROGRAM)) return undefined;
  const { folder, remove } = temporaryFolder(tmpdir(), "bench-rabbitmq-");
  const port = await freePort();
  writeFileSync(join(folder, "plugins"), "[].");
  writeFileSync(join(folder, "rabbitmq.conf"), "");
  const server = await startProgram(PROGRAM, [], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, LC_ALL: "C.UTF-8", ...(await settings(folder, port)) },
    ready: "Server startup complete",
    stopSignal: "SIGTERM",
  });
  return {
    pid: server.pid,
    url: `amqp://127.0.0.1:${port}`,
    description: "RabbitMQ: quorum queues, one node.",
    stop: async () => {
      await server.stop();
      remove();
    },
  };
}

async function settings(folder, port) {
  return {
    // The broker replaces the script, so that signals and the CPU time are those of the broker.
    RUNNING_UNDER_SYSTEMD: "true",
    RABBITMQ_NODENAME: `bench${port}@localhost`,
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_NODE_IP_ADDRESS: "127.0.0.1",
    RABBITMQ_DIST_PORT: String(await freePort()),
    RABBITMQ_MNESIA_BASE: join(folder, "data"),
    RABBITMQ_LOG_BASE: join(folder, "log"),
    RABBITMQ_LOGS: "-",
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, "plugins"),
    RABBITMQ_CONFIG_FILE: join(folder, "rabbitmq"),
    // Otherwise it reads the settings of the server of this machine.
    RABBITMQ_CONF_ENV_FILE: join(folder, "none"),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: "-kernel inet_dist_use_interface {127,0,0,1}",
    ERL_EPMD_ADDRESS: "127.0.0.1",
  };
}

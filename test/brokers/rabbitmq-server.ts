import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../support/free-port.js";
import { type BrokerProgram, type PrivateBroker, startPrivateBroker } from "./private-broker.js";

const PROGRAMS = "/usr/lib/rabbitmq/bin";

const programOf = (conf: readonly string[]): BrokerProgram => ({
  name: "rabbitmq",
  command: join(PROGRAMS, "rabbitmq-server"),
  ready: /Server startup complete/,
  prepare: async (folder, port) => {
    writeFileSync(join(folder, "plugins"), "[].");
    writeFileSync(join(folder, "rabbitmq.conf"), conf.join("\n"));
    // Nodes of a cluster must have the same one.
    writeFileSync(join(folder, ".erlang.cookie"), "tests", { mode: 0o400 });
    const env = {
      RABBITMQ_NODENAME: nodeNameOf({ port }),
      RABBITMQ_NODE_PORT: `${port}`,
      RABBITMQ_NODE_IP_ADDRESS: "127.0.0.1",
      RABBITMQ_DIST_PORT: `${await freePort()}`,
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
    return { args: [], env };
  },
});

/** Returns the name of a node, which is unique on this machine. */
export function nodeNameOf({ port }: Pick<PrivateBroker, "port">): string {
  return `test${port}@localhost`;
}

/** Starts RabbitMQ on a free port. `conf` has lines of `rabbitmq.conf`. */
export function startRabbitmq(conf: readonly string[] = []): Promise<PrivateBroker> {
  return startPrivateBroker(programOf(conf));
}

/** Runs a command of `rabbitmqctl` on a node and returns its output as JSON. */
export async function rabbitmqctl(
  { port, folder }: PrivateBroker,
  command: readonly string[],
): Promise<unknown> {
  const args = ["-n", nodeNameOf({ port }), ...command, "--silent", "--formatter=json"];
  const env = { PATH: process.env.PATH, HOME: folder, LC_ALL: "C.UTF-8", ERL_EPMD_ADDRESS: "127.0.0.1" };
  const { stdout } = await promisify(execFile)(join(PROGRAMS, "rabbitmqctl"), args, { env });
  return JSON.parse(stdout);
}

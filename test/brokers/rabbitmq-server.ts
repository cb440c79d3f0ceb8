import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../servers/free-port.js";
import { type BrokerProgram, type PrivateBroker, startPrivateBroker } from "./private-broker.js";

const program: BrokerProgram = {
  name: "rabbitmq",
  command: "/usr/lib/rabbitmq/bin/rabbitmq-server",
  ready: /Server startup complete/,
  prepare: async (folder, port) => {
    writeFileSync(join(folder, "plugins"), "[].");
    writeFileSync(join(folder, "rabbitmq.conf"), "");
    const env = {
      RABBITMQ_NODENAME: `test${port}@localhost`,
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
};

/** Starts RabbitMQ on a free port. */
export function startRabbitmq(): Promise<PrivateBroker> {
  return startPrivateBroker(program);
}

import { startDatabases } from "../postgres/databases.mjs";
import { startRedis } from "../postgres/servers/private-redis.mjs";
import { startNats } from "./servers/private-nats.mjs";
import { startRabbitmq } from "./servers/private-rabbitmq.mjs";
import { startVariant } from "./variant.mjs";

const starters = { rabbitmq: startRabbitmq, nats: startNats, redis: startRedis };

/** Starts the servers of a run, and opens variants on them. */
export async function startBed() {
  const databases = await startDatabases();
  const servers = new Map();
  for (const [name, start] of Object.entries(starters)) {
    const server = await start();
    if (server !== undefined) servers.set(name, server);
  }
  return {
    description: [databases.description, ...[...servers.values()].map(({ description }) => description)],
    /** Opens the variants whose servers are available, and closes them in the end. */
    withVariants: async (variants, use) => {
      const opened = [];
      try {
        for (const variant of variants) {
          const { name, needs } = variant;
          if (needs !== undefined && !servers.has(needs))
            console.log(`Skipped, because ${needs} is not installed: ${name}`);
          else opened.push(await startVariant(variant, { databases, server: servers.get(needs) }));
        }
        await use(opened);
      } finally {
        for (const variant of opened) await variant.close();
      }
    },
    stop: async () => {
      for (const server of servers.values()) await server.stop();
      await databases.stop();
    },
  };
}

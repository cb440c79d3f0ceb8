import { startDatabases } from "../postgres/databases.mjs";
import { startRedis } from "../postgres/servers/private-redis.mjs";
import { startVariant } from "./variant.mjs";

/** Starts the servers of a run, and opens variants on them. */
export async function startBed() {
  const databases = await startDatabases();
  const redis = await startRedis();
  return {
    description: [databases.description, redis?.description ?? "No Redis."],
    /** Opens the variants whose servers are available, and closes them in the end. */
    withVariants: async (variants, use) => {
      const opened = [];
      try {
        for (const variant of variants) {
          if (variant.needsRedis && redis === undefined)
            console.log(`Skipped, because redis-server is not installed: ${variant.name}`);
          else opened.push(await startVariant(variant, { databases, redis }));
        }
        await use(opened);
      } finally {
        for (const variant of opened) await variant.close();
      }
    },
    stop: async () => {
      await databases.stop();
      await redis?.stop();
    },
  };
}

import { startDatabases } from "./databases.mjs";
import { startRedis } from "./servers/private-redis.mjs";
import { startRestate } from "./servers/private-restate.mjs";
import { startVariant } from "./variant.mjs";

/** Starts the servers of a run, and opens variants on them. */
export async function startBed() {
  const databases = await startDatabases();
  const redis = await startRedis();
  /** Started for the first variant that needs it, because it also uses the CPU while it waits. */
  let restate;
  return {
    description: [
      databases.description,
      redis?.description ?? "No Redis.",
      "CPU: user and system time of Node and the servers.",
    ],
    /** Opens the variants whose servers are available, and closes them in the end. */
    withVariants: async (variants, use) => {
      const opened = [];
      try {
        for (const variant of variants) {
          if (variant.onRestate) restate ??= await startRestate();
          if (variant.needsRedis && redis === undefined)
            console.log(`Skipped, because redis-server is not installed: ${variant.name}`);
          else opened.push(await startVariant(variant, { databases, redis, restate }));
        }
        await use(opened);
      } finally {
        for (const variant of opened) await variant.close();
      }
    },
    stop: async () => {
      await databases.stop();
      await redis?.stop();
      await restate?.stop();
    },
  };
}

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/**
 * Starts the process of a variant, with its own database. What the others compile and collect is not its affair, and their
 * processes wait while it is measured.
 */
export async function startVariant({ name, module, options }, { postgres, redis, createDatabase }) {
  const database = await createDatabase();
  const script = fileURLToPath(new URL("inside/variant-process.mjs", import.meta.url));
  const child = fork(script, [module], {
    env: { ...process.env, NODE_ENV: "production" },
    // What a peer uses that is deprecated is not this bench's to mend.
    execArgv: [...process.execArgv, "--no-deprecation"],
  });
  const call = (method, given) =>
    new Promise((resolve, reject) => {
      const ended = () => reject(new Error(`${name}, ${method}: its process has ended.`));
      child.once("exit", ended);
      child.once("message", ({ value, error }) => {
        child.off("exit", ended);
        if (error === undefined) resolve(value);
        else reject(new Error(`${name}, ${method}: ${error}`));
      });
      child.send({ method, options: given });
    });
  const pids = [postgres.pid, ...(redis === undefined ? [] : [redis.pid])];
  await call("open", { url: postgres.urlOf(database), redisUrl: redis?.url, ...options });
  return {
    name,
    /** Has something measured; the servers are those whose CPU time counts. */
    call: (measure, given) => call(measure, { ...given, pids }),
    close: async () => {
      if (!child.connected) return;
      const ended = once(child, "exit");
      await call("close");
      // Rather than killed: with `--cpu-prof` it writes its profile now.
      child.disconnect();
      await ended;
    },
  };
}

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Folder of the variants. A `module` outside of it is a URL, without `.mjs`. */
const VARIANTS = new URL("variants/", import.meta.url);

/**
 * Starts the process of a variant with its own database. Compilation and garbage collection of other variants do not affect
 * it: their processes wait while this one is measured.
 */
export async function startVariant({ name, module, options }, { postgres, redis, createDatabase }) {
  const database = await createDatabase();
  const script = fileURLToPath(new URL("inside/variant-process.mjs", import.meta.url));
  const child = fork(script, [new URL(`${module}.mjs`, VARIANTS).href], {
    env: { ...process.env, NODE_ENV: "production" },
    // Peers may use deprecated APIs. The warnings would only clutter the report.
    execArgv: [...process.execArgv, "--no-deprecation"],
  });
  const call = (method, given) =>
    new Promise((resolve, reject) => {
      const ended = () => reject(new Error(`The process of ${name} ended during ${method}.`));
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
    /** Runs a measurement in the process. CPU time of the servers counts too. */
    call: (measure, given) => call(measure, { ...given, pids }),
    close: async () => {
      if (!child.connected) return;
      const ended = once(child, "exit");
      await call("close");
      // Not killed, because with `--cpu-prof` it writes its profile now.
      child.disconnect();
      await ended;
    },
  };
}

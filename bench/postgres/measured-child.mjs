import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/**
 * Starts a process that answers one call at a time with `answerParent`. Compilation and garbage collection of other variants do
 * not affect it: their processes wait while this one is measured.
 */
export function startMeasuredChild(name, script, args, env = {}) {
  const child = fork(fileURLToPath(script), args, {
    env: { ...process.env, NODE_ENV: "production", ...env },
    // Peers may use deprecated APIs. The warnings would only clutter the report.
    execArgv: [...process.execArgv, "--no-deprecation"],
  });
  const call = (method, options) =>
    new Promise((resolve, reject) => {
      const ended = () => reject(new Error(`The process of ${name} ended during ${method}.`));
      child.once("exit", ended);
      child.once("message", ({ value, error }) => {
        child.off("exit", ended);
        if (error === undefined) resolve(value);
        else reject(new Error(`${name}, ${method}: ${error}`));
      });
      child.send({ method, options });
    });
  return {
    call,
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

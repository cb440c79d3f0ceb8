import { startMeasuredChild } from "./measured-child.mjs";

/** Folder of the variants. A `module` outside of it is a URL, without `.mjs`. */
const VARIANTS = new URL("variants/", import.meta.url);

/** Starts the process of a variant with its own database. */
export async function startVariant(
  { name, module, options, build, onRestate = false },
  { databases, redis, restate },
) {
  const script = new URL("inside/variant-process.mjs", import.meta.url);
  const args = [new URL(`${module}.mjs`, VARIANTS).href];
  const { call, close } = startMeasuredChild(name, script, args, build && { BENCH_BUILD: build });
  const own = onRestate ? [restate] : [databases, ...(redis === undefined ? [] : [redis])];
  const servers = { url: await databases.create(), redisUrl: redis?.url, restate: restate?.urls };
  await call("open", { ...servers, ...options });
  return {
    name,
    /** Runs a measurement in the process. CPU time of the servers counts too. */
    call: (measure, given) => call(measure, { ...given, pids: own.map(({ pid }) => pid) }),
    close,
  };
}

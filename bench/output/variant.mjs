import { tmpdir } from "node:os";
import { join } from "node:path";
import { startMeasuredChild } from "../postgres/measured-child.mjs";
import { cpuUsOf, temporaryFolder } from "../postgres/servers/private-server.mjs";

const SCRIPT = new URL("inside/process.mjs", import.meta.url);

/** Starts the processes of a variant: one that works, one that serves its output, and one with the readers. */
export async function startVariant({ name, module, options = {}, needsRedis }, { databases, redis }) {
  const url = new URL(`variants/${module}.mjs`, import.meta.url).href;
  const [api, worker, readers] = ["api", "worker", "readers"].map((role) =>
    startMeasuredChild(`${name}, ${role}`, SCRIPT, [role, url]),
  );
  const file = temporaryFolder(tmpdir(), "bench-output-");
  const given = {
    ...options,
    url: await databases.create(),
    redisUrl: redis?.url,
    path: join(file.folder, "data.db"),
  };
  await api.call("open", given);
  await worker.call("open", given);
  const server = needsRedis ? redis : databases;
  const cpuUs = async () =>
    (await api.call("cpuUs")) + (await worker.call("cpuUs")) + (options.sqlite ? 0 : cpuUsOf(server.pid));
  return {
    name,
    api: api.call,
    worker: worker.call,
    readers: readers.call,
    /** User and system time of the worker, the API and the server. Readers do not count. */
    cpuUs,
    close: async () => {
      for (const child of [readers, worker, api]) await child.close();
      file.remove();
    },
  };
}

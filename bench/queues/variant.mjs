import { startMeasuredChild } from "../postgres/measured-child.mjs";
import { cpuUsOf } from "../postgres/servers/private-server.mjs";

const SCRIPT = new URL("inside/process.mjs", import.meta.url);

/** Starts the two processes of a variant, one that accepts orders and one that works, with their own database. */
export async function startVariant({ name, module, broker }, { databases, server }) {
  const url = new URL(`variants/${module}.mjs`, import.meta.url).href;
  const [api, worker] = ["api", "worker"].map((role) =>
    startMeasuredChild(`${name}, ${role}`, SCRIPT, [role, url]),
  );
  const options = { url: await databases.create(), broker, brokerUrl: server?.url };
  await api.call("open", options);
  await worker.call("open", options);
  const servers = server === undefined ? [databases.pid] : [databases.pid, server.pid];

  const cpu = async () => ({
    cpuUs: (await api.call("cpuUs")) + (await worker.call("cpuUs")),
    serversUs: servers.reduce((sum, pid) => sum + cpuUsOf(pid), 0),
  });
  return {
    name,
    api: api.call,
    worker: worker.call,
    /** Starts to measure CPU time. The result returns the time spent by both processes and by the servers, divided by a count. */
    beginSpending: async () => {
      const before = await cpu();
      return async (count) => {
        const after = await cpu();
        return {
          cpuUs: (after.cpuUs - before.cpuUs) / count,
          serversUs: (after.serversUs - before.serversUs) / count,
        };
      };
    },
    close: async () => {
      await worker.close();
      await api.close();
    },
  };
}

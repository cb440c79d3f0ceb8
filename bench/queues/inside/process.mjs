// A process of a variant: `node bench/queues/inside/process.mjs <api or worker> <URL of the module>`.
import { answerParent } from "../../postgres/inside/answer-parent.mjs";
import { createApi } from "./api.mjs";
import { createWorker } from "./worker.mjs";

const [role, module] = process.argv.slice(2);
const { openApi, openWorker } = await import(module);

answerParent({
  ...(role === "api" ? createApi(openApi) : createWorker(openWorker)),
  /** Returns the user and system time of this process. Microseconds. */
  cpuUs: async () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
});

// A process of a variant: `node bench/output/inside/process.mjs <api, worker or readers> <URL of the module>`.
import { answerParent } from "../../postgres/inside/answer-parent.mjs";
import { createReaders } from "./readers.mjs";
import { createWorker } from "./worker.mjs";

const [role, module] = process.argv.slice(2);
const { openApi, openWorker } = await import(module);
let api;
const roles = {
  api: () => ({
    open: async (options) => {
      api = await openApi(options);
    },
    begin: ({ operations }) => api.begin(operations),
    /** Returns the number of reads of the store, if the variant counts them. */
    reads: async () => api.reads?.() ?? 0,
    close: () => api.close(),
  }),
  worker: () => createWorker(openWorker),
  readers: createReaders,
};

answerParent({
  ...roles[role](),
  /** Returns the user and system time of this process. Microseconds. */
  cpuUs: async () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
});

import { better, defineQueue, defineWorker } from "plainjob";
import { countOf, emptied, openDatabase, waitForTheDisk } from "./database.mjs";

const silent = { error() {}, warn() {}, info() {}, debug() {} };

/** plainjob with its defaults, but with commits that wait for the disk. It adds a job, without a key or an operation. */
export async function open() {
  const { database, close } = openDatabase();
  const queue = defineQueue({ connection: better(database), logger: silent });
  waitForTheDisk(database);
  const done = () => countOf(database, "plainjob_jobs where status = 2");
  return {
    accept: async ({ input }) => queue.add("orders", input),
    reset: () => emptied(database, "plainjob_jobs"),
    accepted: () => countOf(database, "plainjob_jobs"),
    completed: done,
    startWork: async ({ onCompleted }) => {
      const worker = defineWorker("orders", async () => {}, {
        queue,
        logger: silent,
        pollIntervall: 1,
        onCompleted: () => onCompleted(),
      });
      void worker.start();
      return () => worker.stop();
    },
    close: () => {
      queue.close();
      close();
    },
  };
}

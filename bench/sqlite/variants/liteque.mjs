import { buildDBClient, migrateDB, Runner, SqliteQueue } from "liteque";
import { countOf, emptied, openDatabase, waitForTheDisk } from "./database.mjs";

/** liteque with its defaults, but with commits that wait for the disk. It adds a job with a key, without an operation. */
export async function open() {
  const { path, database, close } = openDatabase();
  const client = buildDBClient(path, { walEnabled: true });
  migrateDB(client);
  // The setting belongs to the connection, which this version of drizzle does not expose in another way.
  const connection = client.session.client;
  waitForTheDisk(connection);
  const queue = new SqliteQueue("orders", client, {
    defaultJobArgs: { numRetries: 4 },
    keepFailedJobs: false,
  });
  let completed = 0;
  return {
    accept: ({ input, key }) => queue.enqueue(input, { idempotencyKey: key }),
    reset: () => {
      completed = 0;
      emptied(database, "tasks");
    },
    accepted: () => countOf(database, "tasks"),
    // It deletes jobs that have completed.
    completed: () => completed,
    startWork: async ({ onCompleted }) => {
      const onComplete = async () => {
        completed += 1;
        onCompleted();
      };
      const runner = new Runner(
        queue,
        { run: async () => {}, onComplete },
        { pollIntervalMs: 1, timeoutSecs: 60, concurrency: 1 },
      );
      const running = runner.run();
      return () => {
        runner.stop();
        return running;
      };
    },
    close: () => {
      connection.close();
      close();
    },
  };
}

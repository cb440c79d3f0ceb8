/**
 * A worker that commits your rows together with the end of the operation. If the process dies before that, or another
 * attempt has taken over, they are rolled back. `pg` reads PGHOST, PGUSER, PGDATABASE and so on.
 */
import { createWorker, defineOperation } from "async-request-reply";
import { createPostgresBackend } from "async-request-reply/postgres";
import { Pool } from "pg";
import * as z from "zod";

const videos = defineOperation({ name: "videos", path: "/videos", input: z.object({ id: z.uuid() }) });
const pool = new Pool().on("error", console.error);
const source = { definitions: [videos], backend: createPostgresBackend({ pool }) };
const worker = createWorker(source, {
  videos: async ({ id }, job) => {
    const url = `https://cdn.example/${id}.mp4`; // Slow work belongs here, before the transaction.
    return job.transaction(async (tx) => {
      await tx.query("update videos set url = $1 where id = $2", [url, id]);
      await tx.query("insert into mails (subject) values ($1)", [`Your video is ready: ${url}`]);
      return { url };
    });
  },
});
await worker.start();
process.once("SIGTERM", () => void worker.stop().then(() => process.exit()));

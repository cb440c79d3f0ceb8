/**
 * Submits work in your own transaction: either both the row and the operation exist, or neither does. `pg` reads
 * PGHOST, PGUSER, PGDATABASE and so on. A worker does the work, in this process or in another one.
 */
import { createService, defineOperation } from "async-request-reply";
import { createPostgresBackend } from "async-request-reply/postgres";
import { Pool } from "pg";
import * as z from "zod";

const videos = defineOperation({ name: "videos", path: "/videos", input: z.object({ id: z.uuid() }) });
export const pool = new Pool().on("error", console.error);
const backend = createPostgresBackend({ pool });
export const service = createService({ definitions: [videos], backend });

export async function addVideo(file: string): Promise<string> {
  const tx = await pool.connect();
  try {
    await tx.query("begin");
    const { rows } = await tx.query("insert into videos (file) values ($1) returning id", [file]);
    const { operationId } = await service.submit(videos, { id: rows[0].id }, { tx });
    await tx.query("commit");
    return operationId;
  } catch (error) {
    await tx.query("rollback");
    throw error;
  } finally {
    tx.release();
  }
}

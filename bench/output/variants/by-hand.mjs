import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { createPool, prepared } from "../../postgres/variants/pool.mjs";

const PAUSE_MS = 10;

const insert = prepared(
  "insert",
  `with stored as (
     insert into chunks select u.id, u.first, u.chunks from unnest($1::uuid[], $2::integer[], $3::text[]) as u(id, first, chunks)
     returning id)
   select pg_notify('chunks', string_agg(id::text, ' ')) from stored`,
);
const read = prepared(
  "read",
  `select f.id, c.first, c.chunks from unnest($1::uuid[], $2::integer[]) as f(id, next)
   cross join lateral (select first, chunks from chunks where id = f.id and first >= f.next order by first) c`,
);

/**
 * Chunks in a table, written by hand: one INSERT and one NOTIFY for all operations of the process, and one SELECT for all readers.
 * Unlike the product, it knows no leases, retries, discards, checkpoints, limits, tenants or authorization, and does not read again
 * if a notification is lost.
 */
export async function openApi({ url }) {
  const pool = createPool(url);
  await pool.query("create table chunks (id uuid, first integer, chunks text, primary key (id, first))");
  const followed = new Map();
  const changed = new Set();
  let reading = false;

  async function readAll() {
    if (reading) return;
    reading = true;
    while (changed.size > 0) {
      const ids = [...changed].filter((id) => followed.has(id)).slice(0, 500);
      changed.clear();
      const { rows } = await pool.query(read([ids, ids.map((id) => followed.get(id).next)]));
      for (const { id, first, chunks } of rows) {
        const { reply } = followed.get(id);
        const lines = chunks.split("\n");
        followed.get(id).next = first + lines.length;
        reply.write(`id: ${first + lines.length}\nevent: data\ndata: [${lines.join(",")}]\n\n`);
      }
    }
    reading = false;
  }

  const listener = new pg.Client({ connectionString: url });
  await listener.connect();
  listener.on("notification", ({ payload }) => {
    for (const id of payload.split(" ")) changed.add(id);
    void readAll();
  });
  await listener.query("listen chunks");
  const server = createServer((request, reply) => {
    const id = request.url.slice(1);
    reply.writeHead(200, { "content-type": "text/event-stream" });
    reply.write(": open\n\n");
    followed.set(id, { reply, next: 0 });
    reply.on("close", () => followed.delete(id));
  });
  server.listen(0, "127.0.0.1", 4_096);
  await once(server, "listening");
  return {
    begin: async (count) => {
      const ids = Array.from({ length: count }, () => randomUUID());
      await pool.query("create table if not exists begun (id uuid)");
      await pool.query("insert into begun select unnest($1::uuid[])", [ids]);
      return { port: server.address().port, paths: ids.map((id) => `/${id}`) };
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await listener.end();
      await pool.end();
    },
  };
}

export async function openWorker({ url, onBegin }) {
  const pool = createPool(url);
  const waiting = new Map();
  let flushing = false;

  async function flush() {
    if (flushing) return;
    flushing = true;
    await undefined; // the other writes of this turn
    while (waiting.size > 0) {
      const all = [...waiting.values()].filter(({ chunks }) => chunks.length > 0);
      waiting.clear();
      const firsts = all.map(({ next }) => next);
      const texts = all.map(({ chunks }) => chunks.join("\n"));
      for (const output of all) {
        output.next += output.chunks.length;
        output.chunks = [];
      }
      await Promise.all([pool.query(insert([all.map(({ id }) => id), firsts, texts])), sleep(PAUSE_MS)]);
    }
    flushing = false;
  }

  return {
    begin: async () => {
      const { rows } = await pool.query("delete from begun returning id");
      for (const { id } of rows) {
        const output = { id, next: 0, chunks: [] };
        const write = async (chunk) => {
          output.chunks.push(JSON.stringify(chunk));
          waiting.set(id, output);
          void flush();
        };
        onBegin({ write, end: () => {} });
      }
    },
    close: () => pool.end(),
  };
}

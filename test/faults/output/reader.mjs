// A process that reads outputs in one way, and keeps what it has in files. It continues from them after a SIGKILL.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createService, isAsyncReplyError } from "async-request-reply";
import { createClient, outputStream } from "async-request-reply/client";
import { openPostgresStore } from "../../driver/postgres-store.mjs";
import { openSqliteStore } from "../../driver/sqlite-store.mjs";
import { toDefinitions } from "./contract.mjs";
import { openKept } from "./kept.mjs";

const { way, folder, url, baseUrls } = JSON.parse(process.argv[2]);
const definitions = toDefinitions();

/** Calls this often find another API, because one of them may have been killed. Milliseconds. */
const RETRY_MS = 50;

/** The ways to read. Each keeps what it reads, and returns when the output is closed. */
const ways = { client, events, "long-poll": longPoll, "catch-up": catchUp, "in-process": inProcess };

/** Reads with the client of the package. */
async function client({ definition, id }, { kept, keep }) {
  const api = createClient({ baseUrl: anyOf(baseUrls), definitions, outputStream });
  const from = kept.position;
  for await (const part of api[definition].resume(id).output({ ...(from && { from }) })) keep(part);
}

let openedService;

/** Reads the store, without HTTP. */
async function inProcess({ definition, id }, { kept, keep }) {
  const open = url.startsWith("sqlite:") ? openSqliteStore : openPostgresStore;
  openedService ??= createService({
    definitions,
    backend: open(url, { listen: true }).backend,
    observe: () => {},
  });
  const named = definitions.find(({ name }) => name === definition);
  for (;;) {
    const from = kept.position || undefined;
    try {
      for await (const part of openedService.output(named, id, { tenant: "anonymous", from })) keep(part);
      return;
    } catch (error) {
      if (!isAsyncReplyError(error) || error.code !== "STORE_UNAVAILABLE") throw error;
      await sleep(RETRY_MS);
    }
  }
}

/** Reads what stands, again and again. */
async function catchUp({ id }, output) {
  for (;;) {
    const reply = await get(id, `offset=${output.kept.position || "-1"}`, output);
    if (reply !== undefined && (await keepReply(reply, output))) return;
    if (reply?.headers.has("stream-up-to-date")) await sleep(RETRY_MS);
  }
}

/** Waits for each part. */
async function longPoll({ id }, output) {
  for (;;) {
    const reply = await get(id, `offset=${output.kept.position || "-1"}&live=long-poll`, output);
    if (reply !== undefined && (await keepReply(reply, output))) return;
  }
}

/** Keeps the chunks of a reply. Returns whether the output is closed. */
async function keepReply(reply, { kept, keep }) {
  const position = reply.headers.get("stream-next-offset");
  const chunks = reply.status === 204 ? [] : await jsonOf(reply);
  if (chunks === undefined) return false;
  if (chunks.length > 0) keep({ at: kept.count, chunks, position });
  return reply.headers.has("stream-closed");
}

/** Returns undefined if the connection broke. */
async function jsonOf(reply) {
  return reply.json().catch(() => undefined);
}

/** Reads server-sent events like an `EventSource`, which sends the id of the last event when it reconnects. */
async function events({ id }, output) {
  for (;;) {
    const { kept, keep } = output;
    const lastEventId = kept.position && { "last-event-id": kept.position };
    const reply = await get(id, "offset=-1&live=sse", output, {
      accept: "text/event-stream",
      ...lastEventId,
    });
    if (reply === undefined) continue;
    if (reply.status === 204) return;
    for await (const { event, id: position, data } of eventsOf(reply.body)) {
      if (event === "data") keep({ at: kept.count, chunks: JSON.parse(data), position });
      else if (JSON.parse(data).streamClosed) return;
    }
  }
}

/** Yields the events of a stream, until it ends or breaks. */
async function* eventsOf(body) {
  let text = "";
  let id;
  const decoder = new TextDecoder();
  try {
    for await (const bytes of body) {
      const frames = (text + decoder.decode(bytes, { stream: true })).split("\n\n");
      text = frames.pop();
      for (const frame of frames) {
        const fields = Object.fromEntries(
          frame.split("\n").map((line) => /^([^:]*): ?(.*)$/s.exec(line).slice(1)),
        );
        id = fields.id ?? id;
        if (fields.data !== undefined) yield { ...fields, id };
      }
    }
  } catch {
    // The connection broke.
  }
}

/** Requests an output from one of the APIs. Forgets what was discarded. Returns undefined if there is no answer. */
async function get(id, query, { keep }, headers = {}) {
  const reply = await fetch(`${anyOf(baseUrls)}/operations/${id}/output?${query}`, { headers }).catch(
    () => undefined,
  );
  if (reply?.status === 200 || reply?.status === 204) return reply;
  if (reply?.status === 410) {
    const position = reply.headers.get("stream-next-offset");
    keep({ at: Number(position.split("_")[1]), chunks: [], position });
  } else if (reply !== undefined && reply.status !== 503 && reply.status !== 429)
    throw new Error(`The output of ${id} was answered with ${reply.status}: ${await reply.text()}`);
  await reply?.body?.cancel();
  if (reply?.status !== 410) await sleep(RETRY_MS);
  return undefined;
}

function anyOf(choices) {
  return choices[Math.floor(Math.random() * choices.length)];
}

async function read(operation) {
  const output = openKept(join(folder, operation.id));
  const { kept, keep } = output;
  if (!kept.closed) {
    if (kept.count > 0) process.send({ continues: operation.id });
    await ways[way](operation, output);
    keep({ closed: true });
  }
  process.send({ closed: operation.id });
}

process.on("message", ({ operations }) => {
  for (const operation of operations) void read(operation);
});
process.on("disconnect", () => process.exit());
process.send({ started: 0 });

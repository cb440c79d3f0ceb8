import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { createClient } from "redis";
import { createResumableStreamContext } from "resumable-stream";

const LIST = "begun";

/**
 * Streams in Redis with `resumable-stream`. The process that produces a stream keeps it in memory, for as long as it runs. Nothing is
 * stored, so nothing continues after a crash.
 */
export async function openApi({ redisUrl }) {
  const { context, client, close } = await openContext(redisUrl);
  const server = createServer(async (request, reply) => {
    reply.writeHead(200, { "content-type": "text/event-stream" });
    reply.write(": open\n\n");
    const stream = await context.resumeExistingStream(request.url.slice(1));
    for await (const event of stream ?? []) reply.write(event);
    reply.end();
  });
  server.listen(0, "127.0.0.1", 4_096);
  await once(server, "listening");
  return {
    begin: async (count) => {
      const ids = Array.from({ length: count }, () => randomUUID());
      await client.rPush(LIST, ids);
      return { port: server.address().port, paths: ids.map((id) => `/${id}`) };
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await close();
    },
  };
}

export async function openWorker({ redisUrl, onBegin }) {
  const { context, client, close } = await openContext(redisUrl);
  async function start(id) {
    let output;
    const source = new ReadableStream({
      start: (controller) => {
        output = {
          write: async (chunk) => controller.enqueue(`data: [${JSON.stringify(chunk)}]\n\n`),
          end: () => controller.close(),
        };
      },
    });
    const stream = await context.createNewResumableStream(id, () => source);
    void drain(stream);
    onBegin(output);
  }
  return {
    begin: async (count) => {
      const ids = await client.lPopCount(LIST, count);
      for (const id of ids) await start(id);
    },
    close,
  };
}

async function drain(stream) {
  for await (const _ of stream);
}

async function openContext(url) {
  const [client, publisher, subscriber] = await Promise.all(
    Array.from({ length: 3 }, () => createClient({ url }).connect()),
  );
  return {
    client,
    context: createResumableStreamContext({ waitUntil: null, publisher, subscriber }),
    close: async () => {
      for (const one of [client, publisher, subscriber]) one.destroy();
    },
  };
}

import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import { load } from "../../against/build.mjs";
import { toRequest } from "../../postgres/variants/order-service.mjs";

const { toNodeHandler } = await load("node");

/** Serves a service over HTTP and sends requests to it from the same process, over connections that stay open. */
export async function overSockets(service) {
  const server = createServer(toNodeHandler(service)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  const agent = new Agent({ keepAlive: true });
  return {
    post: async (order) => {
      const { method, path, headers, body } = toRequest(order);
      const sent = request({ port, host: "127.0.0.1", agent, method, path, headers });
      sent.end(body);
      const [reply] = await once(sent, "response");
      assert.equal(reply.statusCode, 202);
      reply.resume();
      await once(reply, "end");
    },
    close: async () => {
      agent.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

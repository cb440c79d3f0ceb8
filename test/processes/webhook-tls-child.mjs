// Sends one webhook over TLS to each of two names of one server, and reports how each attempt ended.
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { allowAnonymous, createOrderService, createWorker } from "async-request-reply";
import { createWebhooks } from "async-request-reply/webhooks";

const [folder] = process.argv.slice(2);
const read = (name) => readFileSync(join(folder, name));
const names = [];
const server = createServer({ key: read("key.pem"), cert: read("cert.pem") }, (request, response) => {
  names.push([request.headers.host.split(":")[0], request.socket.servername]);
  response.writeHead(204).end();
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

const { prototype } = process.getBuiltinModule("node:dns").promises.Resolver;
prototype.resolve4 = async () => ["127.0.0.1"];
prototype.resolve6 = async () => [];

async function outcomeOf(host) {
  const origin = `https://${host}:${server.address().port}`;
  const secrets = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"];
  const webhooks = createWebhooks({ endpoint: () => ({ url: origin, secrets }), trustedOrigins: [origin] });
  const events = [];
  const observe = (event) => events.push(event);
  const service = createOrderService({ authorize: allowAnonymous(), webhooks, observe });
  await service.submit(service.definitions[0], { itemId: "book", quantity: 1 }, { tenant: "a" });
  await createWorker(service, { orders: () => {} }).runUntilIdle();
  const delivered = events.find(({ event }) => event === "webhook.delivered");
  const retried = events.find(({ event }) => event === "operation.retried");
  return delivered?.status ?? retried?.error.cause.code;
}

const outcomes = [await outcomeOf("hooks.test"), await outcomeOf("other.test")];
process.send({ outcomes, names }, () => process.exit(0));

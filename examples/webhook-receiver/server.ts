/**
 * Receives webhooks and prints which operations have ended. Put the secret of your endpoint into `WEBHOOK_SECRET`, and
 * run `npm run build:start && node examples/webhook-receiver/dist/server.js`.
 */
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { isAsyncReplyError } from "async-request-reply";
import { verifyWebhook } from "async-request-reply/webhooks";

const secrets = [process.env.WEBHOOK_SECRET ?? "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"];
const MAX_BYTES = 100_000;
const seen = new Set<string>(); // In production, a table with a unique column.

const server = createServer(async (request, response) => {
  try {
    const length = Number(request.headers["content-length"] ?? Number.POSITIVE_INFINITY);
    if (length > MAX_BYTES) return void response.writeHead(413, { connection: "close" }).end();
    const body = await buffer(request);
    const { id, data } = await verifyWebhook({ headers: request.headers, body, secrets });
    if (!seen.has(id)) console.log(`${data.operationId} is ${data.status}`);
    seen.add(id);
    response.writeHead(204).end();
  } catch (error) {
    response.writeHead(isAsyncReplyError(error) ? 401 : 500).end();
  }
});

server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") console.log(`listening on http://127.0.0.1:${address?.port}`);
});
process.once("SIGTERM", () => server.close());

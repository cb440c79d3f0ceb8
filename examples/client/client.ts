/**
 * Orders something from the orders server and waits for the result. Start the server with `npm start`, then run
 * `node examples/client/dist/client.js http://localhost:3000 book`.
 */
import { defineOrders } from "async-request-reply";
import { createClient, isAsyncReplyError } from "async-request-reply/client";

const [baseUrl = "http://localhost:3000", itemId = "book"] = process.argv.slice(2);
const api = createClient({
  baseUrl,
  definitions: [defineOrders()],
  headers: { authorization: "Bearer demo-token" },
});

try {
  const op = await api.orders.submit({ itemId, quantity: 1 });
  console.log(`accepted ${JSON.stringify(op)}`);
  const result = await op.result({ signal: AbortSignal.timeout(60_000) });
  console.log(`completed ${JSON.stringify(result)}`);
} catch (error) {
  if (!isAsyncReplyError(error)) throw error;
  console.error(error.detail);
  process.exitCode = 1;
}

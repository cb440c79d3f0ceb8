import { createServer as createHttpServer } from "node:http";

/**
 * The upper limit: node:http and JSON.parse without any checks. Stores its operations only if their status is read.
 */
export async function createServer({ retain }) {
  const operations = new Map();
  let count = 0;

  return createHttpServer((req, res) => {
    if (req.method === "GET") {
      const body = JSON.stringify(operations.get(req.url.slice("/operations/".length)));
      res.writeHead(200, { "content-type": "application/json", "content-length": body.length });
      res.end(body);
      return;
    }
    let text = "";
    req.setEncoding("utf8");
    req.on("data", (chunk) => {
      text += chunk;
    });
    req.on("end", () => {
      const order = JSON.parse(text);
      const operationId = String(++count);
      const operation = { operationId, status: "pending" };
      if (retain) operations.set(operationId, { ...operation, ...order });
      const body = JSON.stringify(operation);
      res.writeHead(202, {
        "content-type": "application/json",
        "content-length": body.length,
        location: `/operations/${operationId}`,
        "retry-after": "1",
      });
      res.end(body);
    });
  });
}

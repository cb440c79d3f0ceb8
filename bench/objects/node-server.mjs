// The same service on Node, with SQLite in a file.
import { createServer } from "node:http";
import Database from "libsql";
import { createService, createWorker } from "../../dist/index.js";
import { toNodeHandler } from "../../dist/node.js";
import { createSqliteBackend } from "../../dist/sqlite.js";
import { authorize, definitions, processors } from "./definition.mjs";

const database = new Database(process.argv[2]);
const backend = createSqliteBackend({ database });
const service = createService({ definitions, authorize, backend, observe: false });
await createWorker(service, processors).start();
const server = createServer(toNodeHandler(service)).listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ port: server.address().port }));
});

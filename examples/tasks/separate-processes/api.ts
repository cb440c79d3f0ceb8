/**
 * Accepts videos over HTTP and leaves the work to the workers. Start as many of these processes as you like: run
 * `npm run build:start && node examples/tasks/dist/separate-processes/api.js`, start a worker, then
 *
 * curl -i localhost:3000/videos -H 'Authorization: Bearer demo-token' -H 'Content-Type: application/json' \
 *   -H 'Idempotency-Key: "video-1"' -d '{"file":"cat.mov"}'
 */
import { createServer } from "node:http";
import { bearer, createService } from "async-request-reply";
import { closeServer, toNodeHandler } from "async-request-reply/node";
import { backend } from "./backend.js";
import { videos } from "./contract.js";

const service = createService({ definitions: [videos], backend, authorize: bearer({ "demo-token": "ann" }) });
const server = createServer(toNodeHandler(service)).listen(Number(process.env.PORT ?? 3000));
process.once("SIGTERM", () => closeServer(server, service).then(() => process.exit()));

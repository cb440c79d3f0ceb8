/**
 * Does the work. It needs neither a port nor `authorize`. Start as many of these processes as you like:
 * `node examples/tasks/dist/separate-processes/worker.js`.
 */
import { createWorker } from "async-request-reply";
import { backend } from "./backend.js";
import { videos } from "./contract.js";

const source = { definitions: [videos], backend };
const worker = createWorker(source, { videos: ({ file }) => ({ url: `https://cdn.example/${file}.mp4` }) });
await worker.start();
process.once("SIGTERM", () => void worker.stop().then(() => process.exit()));

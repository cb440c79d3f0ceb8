/**
 * Answers that appear word by word, in a page of React and in one with `useChat` of the AI SDK. Run
 * `npm run build:start && npm ci --prefix examples/answers/page && node examples/answers/dist/server.js`, then open
 * http://localhost:3000 in a browser, or
 *
 * curl -i localhost:3000/answers -H 'Content-Type: application/json' -H 'Idempotency-Key: "answer-1"' -d '{"prompt":"Why?"}'
 */
import { createServer } from "node:http";
import { allowAnonymous, createService, createWorker, retryLater } from "async-request-reply";
import { closeServer, toNodeHandler } from "async-request-reply/node";
import { bundlePages } from "./bundle-pages.js";
import { definitions } from "./contract.js";
import { model, plan } from "./model.js";

const service = createService({ definitions, authorize: allowAnonymous() });
const worker = createWorker(service, {
  answers: async ({ prompt }, job) => {
    const paragraphs = plan(prompt);
    for (let next = job.resumed?.paragraphs ?? 0; next < paragraphs.length; next += 1) {
      await job.pipe(model(paragraphs[next] ?? "", job));
      failOnce(prompt, next, job);
      await job.checkpoint({ paragraphs: next + 1 });
    }
  },
  chats: async ({ prompt }, job) => {
    // The same in each attempt, so that `useChat` replaces the message of an attempt that failed.
    await job.write({ type: "start", messageId: job.operationId });
    await job.write({ type: "text-start", id: "text" });
    for (const [next, paragraph] of plan(prompt).entries()) {
      for await (const delta of model(paragraph, job))
        await job.write({ type: "text-delta", id: "text", delta });
      failOnce(prompt, next, job);
    }
    await job.write({ type: "text-end", id: "text" });
    await job.write({ type: "finish" });
  },
});

/** Lets you see what a failure looks like. */
function failOnce(prompt: string, paragraph: number, { attempt }: { readonly attempt: number }): void {
  if (/\bfail\b/.test(prompt) && paragraph === 1 && attempt === 1) throw retryLater({ afterMs: 1_000 });
}

const pages = await bundlePages();
const handle = toNodeHandler(service);
const server = createServer((request, response) => {
  const page = pages.get(request.url ?? "/");
  if (page === undefined) return void handle(request, response);
  response.setHeader("content-type", page.type).end(page.text);
});

await worker.start();
server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  const address = server.address();
  console.log(`listening on http://127.0.0.1:${typeof address === "object" ? address?.port : address}`);
});

process.once("SIGTERM", () => closeServer(server, service));

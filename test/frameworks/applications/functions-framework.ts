import { expect } from "vitest";
import { beginUpload, submit } from "../behaviors.js";
import { filesOf } from "../sections.js";
import { application, type Behavior } from "./application.js";

/** The function of the page, with a worker in the same process, because the store is in memory. */
const INDEX = `
import { createMemoryBackend, createWorker, defineOrders } from "async-request-reply";
import { register } from "./mount.js";

const backend = createMemoryBackend();
register(backend);
const worker = createWorker({ definitions: [defineOrders()], backend }, {
  orders: ({ itemId, quantity }) => ({ shipped: quantity, itemId }),
});
await worker.start();
`;

const refusesBrokenBytes: Behavior = {
  name: "refuses broken UTF-8 inside of JSON",
  run: async (server, { mounted }) => {
    const body = Uint8Array.from(Buffer.from(mounted.body.replace("book", "b\xffk"), "latin1"));
    const reply = await submit(server, mounted.path, body);
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({ type: expect.stringMatching(/malformed-body$/) });
  },
};

const leavesMalformedJson: Behavior = {
  name: "leaves malformed JSON to the framework, which replies 400",
  run: async (server, { mounted }) => {
    const reply = await submit(server, mounted.path, mounted.body.slice(0, -1));
    expect([reply.status, reply.headers.get("content-type")]).toEqual([400, "text/html; charset=utf-8"]);
  },
};

const endsAtOnce: Behavior = {
  name: "replies 500 to a request in progress on SIGTERM, and ends at once",
  run: async (server, { mounted, endsWith }) => {
    const upload = await beginUpload(server.port, mounted);
    server.terminate();
    expect((await upload.read("POST")).status).toBe(500);
    expect(await server.ended).toBe(endsWith);
  },
};

/** The function of the page, in Google's functions-framework. */
export const functionsFramework = application({
  name: "Google Cloud Functions",
  files: [...filesOf("docs/frameworks.md", "Google Cloud Functions"), { path: "index.ts", text: INDEX }],
  serve: ["node_modules/.bin/functions-framework", "--target=orders"],
  own: [refusesBrokenBytes, leavesMalformedJson],
  ending: endsAtOnce,
});

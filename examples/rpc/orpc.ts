/** A server with an oRPC procedure that submits work, and with the operations over HTTP. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import { ORPCError, os, type RouterClient } from "@orpc/server";
import { RPCHandler } from "@orpc/server/node";
import { closeServer, toNodeHandler } from "async-request-reply/node";
import * as z from "zod";
import { codeOf, service, submit, userOf, Video, worker } from "./videos.js";

const authorized = os.$context<{ readonly headers: IncomingHttpHeaders }>().use(({ context, next }) => {
  const user = userOf(context.headers.authorization);
  if (user === undefined) throw new ORPCError("UNAUTHORIZED");
  return next({ context: { user } });
});

const router = {
  convert: authorized.input(Video.extend({ key: z.string() })).handler(({ context, input }) =>
    submit(context.user, input).catch((cause) => {
      throw new ORPCError(codeOf(cause), { message: "The video was not accepted.", cause });
    }),
  ),
};
export type Client = RouterClient<typeof router>;

const rpc = new RPCHandler(router);
const handle = toNodeHandler(service, { fallthrough: true });
await worker.start();
const server = createServer((req, res) => {
  handle(req, res, async () => {
    const { matched } = await rpc.handle(req, res, { prefix: "/rpc", context: { headers: req.headers } });
    if (!matched) res.writeHead(404).end();
  });
}).listen(3000);
process.once("SIGTERM", () => closeServer(server, service));

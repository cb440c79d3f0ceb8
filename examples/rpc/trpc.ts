/** A server with a tRPC procedure that submits work, and with the operations over HTTP. */
import { createServer } from "node:http";
import { initTRPC, TRPCError } from "@trpc/server";
import { type CreateHTTPContextOptions, createHTTPHandler } from "@trpc/server/adapters/standalone";
import { closeServer, toNodeHandler } from "async-request-reply/node";
import * as z from "zod";
import { codeOf, service, submit, userOf, Video, worker } from "./videos.js";

const createContext = ({ req }: CreateHTTPContextOptions) => ({ user: userOf(req.headers.authorization) });
const { procedure, router } = initTRPC.context<typeof createContext>().create();

const authorized = procedure.use(({ ctx: { user }, next }) => {
  if (user === undefined) throw new TRPCError({ code: "UNAUTHORIZED" });
  return next({ ctx: { user } });
});

const appRouter = router({
  convert: authorized.input(Video.extend({ key: z.string() })).mutation(({ ctx, input }) =>
    submit(ctx.user, input).catch((cause) => {
      // Without a message of yours, clients get that of the cause.
      throw new TRPCError({ code: codeOf(cause), message: "The video was not accepted.", cause });
    }),
  ),
});
export type AppRouter = typeof appRouter;

const rpc = createHTTPHandler({ router: appRouter, createContext, basePath: "/trpc/" });
const handle = toNodeHandler(service, { fallthrough: true });
await worker.start();
const server = createServer((req, res) => handle(req, res, () => rpc(req, res))).listen(3000);
process.once("SIGTERM", () => closeServer(server, service));

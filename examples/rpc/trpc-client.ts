/** Calls the tRPC procedure, and reads the result with the client of the package. */
import { createTRPCClient, httpLink } from "@trpc/client";
import { createClient } from "async-request-reply/client";
import type { AppRouter } from "./trpc.js";
import type { videos } from "./videos.js";

const url = "http://localhost:3000";
const headers = { authorization: "Bearer demo-token" };
const trpc = createTRPCClient<AppRouter>({ links: [httpLink({ url: `${url}/trpc`, headers })] });
const api = createClient<readonly [typeof videos]>({ baseUrl: url, paths: { videos: "/videos" }, headers });

const saved = await trpc.convert.mutate({ key: "cat", file: "cat.mov" });
const { url: converted } = await api.videos.resume(saved).result();
console.log(converted);

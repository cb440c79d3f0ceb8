/** Calls the oRPC procedure, and waits for the result over HTTP. */
import { createORPCClient } from "@orpc/client";
import { RPCLink } from "@orpc/client/fetch";
import type { Client } from "./orpc.js";

const headers = { authorization: "Bearer demo-token" };
const orpc: Client = createORPCClient(new RPCLink({ url: "http://localhost:3000/rpc", headers }));

const { location } = await orpc.convert({ key: "cat", file: "cat.mov" });
const reply = await fetch(`http://localhost:3000${location}`, { headers: { ...headers, prefer: "wait=20" } });
console.log(await reply.text());

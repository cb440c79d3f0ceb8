import { onTestFinished } from "vitest";
import { type ServerProcess, type StartServer, startServer } from "../support/orders-server-process.js";

/** Starts a server and kills it after the test. */
export async function startForTest(
  variables: Readonly<Record<string, string>>,
  start: StartServer = startServer,
): Promise<ServerProcess> {
  const server = await start(variables);
  onTestFinished(() => server.kill());
  return server;
}

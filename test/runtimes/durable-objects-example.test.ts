import { expect, it, onTestFinished } from "vitest";
import { isSkipped } from "./matrix.js";
import { useProject } from "./project.js";
import { type ServerProcess, startServer } from "./server-process.js";
import { exampleWorker } from "./servers.js";

const project = useProject();

async function start(): Promise<ServerProcess> {
  const server = await startServer(project(), exampleWorker);
  onTestFinished(server.kill);
  return server;
}

/** Asks for the report of a year, whose key is the year, or reads an operation. */
function call(
  { baseUrl }: ServerProcess,
  path: string,
  { token = "demo-token", year }: { readonly token?: string; readonly year?: number } = {},
): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, "idempotency-key": `"${year}"` };
  if (year === undefined) return fetch(baseUrl + path, { headers });
  return fetch(baseUrl + path, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ year }),
  });
}

it.skipIf(isSkipped(exampleWorker.runtime))(
  "the example with Durable Objects replays, hides, completes and shows reports, also after its process was killed",
  async () => {
    const first = await start();
    const accepted = await call(first, "/reports", { year: 2026 });
    expect(accepted.status).toBe(202);
    const location = accepted.headers.get("location") ?? "";
    const replayed = await call(first, "/reports", { year: 2026 });
    expect([replayed.status, replayed.headers.get("location")]).toEqual([202, location]);
    expect(replayed.headers.get("idempotent-replayed")).toBe("true");
    expect((await call(first, location, { token: "other-token" })).status).toBe(404);
    expect((await call(first, location, { token: "unknown" })).status).toBe(401);
    const ends = (server: ServerProcess, path: string, pages: number) =>
      expect
        .poll(async () => (await call(server, path)).json(), { timeout: 30_000 })
        .toMatchObject({ status: "completed", result: { pages } });
    await ends(first, location, 27);

    const last = await call(first, "/reports", { year: 2027 });
    await first.kill();
    const second = await start();
    await ends(second, last.headers.get("location") ?? "", 28);
    expect(await (await call(second, location)).json()).toMatchObject({ status: "completed" });
    const again = await call(second, "/reports", { year: 2026 });
    expect([again.status, again.headers.get("location")]).toEqual([202, location]);

    const consoleUrl = `${await second.urlOf("console")}/console/api${location}`;
    expect((await fetch(consoleUrl)).status).toBe(401);
    const authorization = `Basic ${btoa("ops:demo-password")}`;
    const shown = await fetch(consoleUrl, { headers: { authorization } });
    expect(await shown.json()).toMatchObject({ operation: { tenant: "ann", status: "completed" } });
  },
);

import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createPostgresBackend } from "async-request-reply/postgres";
import { Pool, type PoolConfig } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../../support/free-port.js";
import { expectUnavailable } from "./refused-check.js";

const host = "127.0.0.1";

describe("check() of a back end on Postgres that cannot be reached", () => {
  function open(config: PoolConfig, statementTimeoutMs = 10_000) {
    const pool = new Pool({ user: "app", password: "secret", database: "orders", ...config });
    // Not awaited: a connection that is never made ends when its server does.
    onTestFinished(() => void pool.end());
    return createPostgresBackend({ pool, statementTimeoutMs });
  }

  /** Takes connections and never answers. */
  async function silentPort() {
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket.on("error", () => {})));
    server.listen(0, host);
    await once(server, "listening");
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  }

  it.each([
    [
      "address that nothing listens on",
      { host },
      "No server accepts connections at 127.0.0.1:PORT (ECONNREFUSED). Start PostgreSQL there, or correct `host` and " +
        "`port` in the connection options of the pool.",
    ],
    [
      "host that cannot be resolved",
      { host: "database.invalid" },
      'The host "database.invalid" could not be resolved. Correct `host` in the connection options of the pool, or wait until ' +
        "DNS can resolve it.",
    ],
    [
      "socket that does not exist",
      { host: "/nowhere" },
      "There is no server at the socket /nowhere/.s.PGSQL.PORT (ENOENT). Start PostgreSQL there, or correct `host` and `port` " +
        "in the connection options of the pool.",
    ],
  ])("names the %s", async (_, config, detail) => {
    const port = await freePort();
    await expectUnavailable(open({ port, ...config }), detail.replace("PORT", String(port)));
  });

  it.each([
    ["the pool has a limit", { connectionTimeoutMillis: 50 }, 10_000],
    ["only the back end has a limit", {}, 50],
  ])("says that the server does not answer, where %s", async (_, config, timeoutMs) => {
    const port = await silentPort();
    await expectUnavailable(
      open({ host, port, ...config }, timeoutMs),
      "The pool provided no connection in time, or the server did not answer in time. Check `host` and `port` in the connection " +
        "options of the pool, any firewall in between, and whether all connections of the pool are in use.",
    );
  });

  it("keeps the error of the driver as the cause, without the password", async () => {
    const port = await freePort();
    const checking = open({ host, port }).check();
    const error: unknown = await checking.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ cause: { code: "ECONNREFUSED", port } });
    expect(JSON.stringify(error) + String(error)).not.toContain("secret");
  });
});

import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createPostgresBackend } from "async-request-reply/postgres";
import { Pool, type PoolConfig } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../../support/free-port.js";
import { refusedCheck, unavailable } from "./refused-check.js";

const TIMED_OUT =
  "The pool provided no connection in time, or the server did not answer in time. Check `host` and `port` in the connection options " +
  "of the pool, any firewall in between, and whether all connections of the pool are in use.";

describe("check() of a back end on Postgres that cannot be reached", () => {
  function open(config: PoolConfig, statementTimeoutMs = 10_000) {
    const pool = new Pool({ user: "app", password: "secret", database: "orders", ...config });
    // Not awaited: a connection that is never made ends when its server does.
    onTestFinished(() => void pool.end());
    return createPostgresBackend({ pool, statementTimeoutMs });
  }

  /** Takes connections and never answers. */
  async function silentPort(): Promise<number> {
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket.on("error", () => {})));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  }

  it("names the address that nothing listens on", async () => {
    const port = await freePort();
    expect(await refusedCheck(open({ host: "127.0.0.1", port }))).toEqual(
      unavailable(
        `No server accepts connections at 127.0.0.1:${port} (ECONNREFUSED). Start PostgreSQL there, or correct \`host\` and ` +
          "`port` in the connection options of the pool.",
      ),
    );
  });

  it("names the host that cannot be resolved", async () => {
    expect(await refusedCheck(open({ host: "database.invalid" }))).toEqual(
      unavailable(
        'The host "database.invalid" could not be resolved. Correct `host` in the connection options of the pool, or wait until ' +
          "DNS can resolve it.",
      ),
    );
  });

  it("names the socket that does not exist", async () => {
    expect(await refusedCheck(open({ host: "/nowhere", port: 5432 }))).toEqual(
      unavailable(
        "There is no server at the socket /nowhere/.s.PGSQL.5432 (ENOENT). Start PostgreSQL there, or correct `host` and `port` " +
          "in the connection options of the pool.",
      ),
    );
  });

  it.each([
    ["the pool has a limit", { connectionTimeoutMillis: 50 }, 10_000],
    ["only the back end has a limit", {}, 50],
  ])("says that the server does not answer, where %s", async (_, config, timeoutMs) => {
    const port = await silentPort();
    const backend = open({ host: "127.0.0.1", port, ...config }, timeoutMs);
    expect(await refusedCheck(backend)).toEqual(unavailable(TIMED_OUT));
  });

  it("keeps the error of the driver as the cause, without the password", async () => {
    const port = await freePort();
    const error: unknown = await open({ host: "127.0.0.1", port })
      .check()
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ cause: { code: "ECONNREFUSED", port } });
    expect(JSON.stringify(error) + String(error)).not.toContain("secret");
  });
});

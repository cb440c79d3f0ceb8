import { createServer } from "node:net";
import { createPostgresBackend } from "async-request-reply/postgres";
import { Pool } from "pg";
import { expect, it } from "vitest";
import { freePort } from "../../support/free-port.js";

/** Builds a protocol message from its type and content. */
function message(type: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.length + 4);
  return Buffer.concat([Buffer.from(type), length, content]);
}

const authenticated = message("R", Buffer.alloc(4));
const ready = message("Z", Buffer.from("I"));
const ended = message("E", Buffer.from("SFATAL\0C57P01\0Mthe server is going down\0\0"));

it("survives a connection that becomes ready and breaks in one packet", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(Buffer.concat([authenticated, ready, ended])));
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const pool = new Pool({ host: "127.0.0.1", port, user: "u", database: "d", ssl: false });
  pool.on("error", () => {});
  try {
    const { operations } = createPostgresBackend({ pool, migrate: "manual", listen: false });
    const reading = operations.get("01976f2c-0000-7000-8000-000000000000", "a");
    await expect(reading).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  } finally {
    await pool.end();
    await new Promise((resolve) => server.close(resolve));
  }
});

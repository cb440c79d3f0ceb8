import { expect, vi } from "vitest";
import { openRawConnection } from "../support/raw-connection.js";
import type { Behavior, Mounted } from "./applications/application.js";
import { authorization, type Server } from "./server.js";

/** Promises of every application. */
export const behaviors: readonly Behavior[] = [
  {
    name: "accepts work with 202, and completes it at Location",
    run: async (server, { mounted }) => {
      const accepted = await submit(server, mounted.path, mounted.body);
      expect(accepted.status).toBe(202);
      const location = accepted.headers.get("location") ?? "";
      const operation = await server.fetch(location, { headers: { prefer: "wait=20" } });
      expect(operation.status).toBe(200);
      expect(await operation.json()).toMatchObject({ status: "completed", result: mounted.result });
    },
  },
  {
    name: "replays the first reply when the key is used again",
    run: async (server, { mounted }) => {
      const fields = { "idempotency-key": '"once"' };
      const first = await submit(server, mounted.path, mounted.body, fields);
      const again = await submit(server, mounted.path, mounted.body, fields);
      expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([202, "true"]);
      expect(again.headers.get("location")).toBe(first.headers.get("location"));
    },
  },
  {
    name: "gets the bytes as they were sent, and refuses a repeated member",
    run: async (server, { mounted }) => {
      const refused = await submit(server, mounted.path, mounted.repeatedMember);
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ type: expect.stringMatching(/malformed-body$/) });
    },
  },
  {
    name: "lets the service authorize, and refuse methods",
    run: async (server, { mounted: { path, body } }) => {
      const unknown = await submit(server, path, body, { authorization: "Bearer unknown" });
      expect(unknown.status).toBe(401);
      const refused = await server.fetch(path, {
        method: "DELETE",
        headers: { "content-type": "application/json" },
      });
      expect([refused.status, refused.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    },
  },
];

/** How an application ends, after everything else. */
export const finishesRequests: Behavior = {
  name: "finishes a request in progress on SIGTERM, and ends",
  run: async (server, { mounted, endsWith }) => {
    const upload = await beginUpload(server.port, mounted);
    // When a later request has been answered, this one has reached the service.
    await server.fetch(mounted.path);
    server.terminate();
    await vi.waitUntil(() => isClosing(server, mounted.path));
    await upload.write(mounted.body);
    expect((await upload.read("POST")).status).toBe(202);
    expect(await server.ended).toBe(endsWith);
  },
};

/** Posts JSON. */
export function submit(
  server: Server,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  fields: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const headers = { "content-type": "application/json", ...fields };
  return server.fetch(path, { method: "POST", headers, body });
}

/** Sends the header section of a submission. Resolves when the server waits for the body. */
export async function beginUpload(port: number, { path, body }: Mounted) {
  const upload = openRawConnection(port);
  const fields = [
    `POST ${path} HTTP/1.1`,
    "host: 127.0.0.1",
    "connection: close",
    `authorization: ${authorization}`,
    "content-type: application/json",
    `content-length: ${body.length}`,
    "expect: 100-continue",
  ];
  await upload.write(`${fields.join("\r\n")}\r\n\r\n`);
  await upload.readUntil("HTTP/1.1 100 Continue\r\n\r\n");
  return upload;
}

/** Returns whether new requests are refused, by the service or by the server. */
async function isClosing(server: Server, path: string): Promise<boolean> {
  const status = await server.fetch(path).then(
    (response) => response.status,
    () => undefined,
  );
  return status === undefined || status === 503;
}

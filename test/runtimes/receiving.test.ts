import { generateKeyPairSync } from "node:crypto";
import { signWebhook } from "async-request-reply/webhooks";
import { describe, expect, it } from "vitest";
import { isSkipped, workerd } from "./matrix.js";
import { useProject, workers } from "./project.js";
import { useServer } from "./server-process.js";
import { onFetch, type ServerProgram } from "./servers.js";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const half = (key: string | undefined): string => Buffer.from(key ?? "", "base64url").toString("base64");
const PRIVATE = `whsk_${half(privateKey.export({ format: "jwk" }).d)}`;
const PUBLIC = `whpk_${half(publicKey.export({ format: "jwk" }).x)}`;

const id = "msg_1";
const timestamp = 1_614_265_330;
const text = '{"type":"operation.completed","note":"ä"}';

const servers: readonly ServerProgram[] = [
  ...onFetch("receiving-server"),
  { name: "workerd", runtime: workerd, args: workerd.options, folder: workers.receiving },
];

const project = useProject();

for (const program of servers) {
  describe(`verifyWebhook on ${program.name}`, () => {
    const test = it.skipIf(isSkipped(program.runtime));
    const server = useServer(project, program);

    /** Sends a webhook that is signed with `signing` to a receiver that has `secret`, and returns its verdict. */
    async function verdict(signing: string, secret: string, body = text, ageMs = 0): Promise<string> {
      const message = { id, timestamp, body: new TextEncoder().encode(text) };
      const headers = {
        "webhook-id": id,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": await signWebhook(message, [signing]),
      };
      const query = new URLSearchParams({ secret, now: String(timestamp * 1_000 + ageMs) });
      const reply = await fetch(`${server().baseUrl}/?${query}`, { method: "POST", headers, body });
      return reply.text();
    }

    test("accepts the signatures of both schemes", async () => {
      expect(await verdict(SECRET, SECRET)).toBe(`accepted ${id}`);
      expect(await verdict(PRIVATE, PUBLIC)).toBe(`accepted ${id}`);
    });

    test("refuses another body, the signature of another key, an old webhook and a malformed secret", async () => {
      expect(await verdict(SECRET, SECRET, `${text} `)).toBe("UNAUTHENTICATED");
      expect(await verdict(PRIVATE, PUBLIC, `${text} `)).toBe("UNAUTHENTICATED");
      expect(await verdict(PRIVATE, SECRET)).toBe("UNAUTHENTICATED");
      expect(await verdict(SECRET, SECRET, text, 301_000)).toBe("UNAUTHENTICATED");
      expect(await verdict(SECRET, "whsec_c2hvcnQ=")).toBe("INVALID_OPTION");
    });
  });
}

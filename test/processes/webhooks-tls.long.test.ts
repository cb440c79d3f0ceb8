import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "webhooks-tls-"));
  const subject = ["-subj", "/CN=hooks.test", "-addext", "subjectAltName=DNS:hooks.test"];
  const files = ["-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem")];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...files, ...subject], {
    stdio: "ignore",
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("sends webhooks over TLS to the checked address, under the name of the host, which the certificate must have", async () => {
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, "cert.pem") };
  const child = fork(new URL("webhook-tls-child.mjs", import.meta.url), [folder], { env });
  const [message] = (await once(child, "message")) as [unknown];
  expect(message).toEqual({
    outcomes: [204, "ERR_TLS_CERT_ALTNAME_INVALID"],
    names: [["hooks.test", "hooks.test"]],
  });
});

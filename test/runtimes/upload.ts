import { openRawConnection } from "../support/raw-connection.js";

export type Framing = "declared" | "chunked";

/** The reply to an upload. */
interface Refusal {
  readonly status: number;
  readonly body: string;
}

const LENGTH = 10_000_000;

/** Sends 10 MB to a server. The reply may arrive before the upload ends. */
export async function upload(baseUrl: string, framing: Framing): Promise<Refusal> {
  const bytes = new Blob([new Uint8Array(LENGTH)]);
  const response = await fetch(`${baseUrl}/orders`, {
    method: "POST",
    headers: { authorization: "Bearer demo-token", "content-type": "application/json" },
    body: framing === "declared" ? bytes : bytes.stream(),
    duplex: "half",
  });
  return { status: response.status, body: await response.text() };
}

/**
 * Sends the beginning of 10 MB and waits for the reply. workerd closes the connection soon after an early reply, and
 * `fetch` would lose that reply when its next write fails.
 */
export async function beginUpload(baseUrl: string, framing: Framing): Promise<Refusal> {
  const { host, port } = new URL(baseUrl);
  const connection = openRawConnection(Number(port));
  const [field, start] =
    framing === "declared"
      ? [`content-length: ${LENGTH}`, ""]
      : ["transfer-encoding: chunked", `${LENGTH.toString(16)}\r\n`];
  const head = [
    "POST /orders HTTP/1.1",
    `host: ${host}`,
    "authorization: Bearer demo-token",
    "content-type: application/json",
    field,
  ];
  await connection.write(`${head.join("\r\n")}\r\n\r\n${start}`);
  await connection.write(new Uint8Array(100_000));
  const reply = await connection.read("POST");
  connection.abort();
  return reply;
}

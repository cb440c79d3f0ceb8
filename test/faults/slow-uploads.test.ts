import { expect, it, onTestFinished } from "vitest";
import { openRawConnection } from "../support/raw-connection.js";
import { expectNoLongWait, keysOf, newOrder, send, sendAll, sendOnce } from "./orders.js";
import { describeOnEachStore } from "./use-fault-bench.js";

describeOnEachStore("uploads that never end (F15)", (bench) => {
  it("block no other client and bind no key", async () => {
    const { baseUrl } = await bench().start({ role: "all" });
    const port = Number(new URL(baseUrl).port);
    const opened = [...keysOf("head", 200), ...keysOf("body", 60)].map((name) => {
      const connection = openRawConnection(port);
      onTestFinished(() => connection.abort());
      return { name, connection };
    });
    for (const { name, connection } of opened)
      await connection.write(
        name.startsWith("head") ? "POST /orders HTTP/1.1\r\nHost: a\r\nX-" : halfUpload(name),
      );

    const sent = await sendAll(keysOf("other", 100), () => baseUrl);
    expectNoLongWait(sent, 2_000);

    for (const { connection } of opened) connection.abort();
    await Promise.all(opened.map(({ connection }) => connection.closed));
    // The cut uploads had a different payload. If one had bound its key, this would get 422.
    const later = await Promise.all(keysOf("body", 60).map((key) => send(key, () => baseUrl)));
    const [, status] = [await send("head-1", () => baseUrl), await sendOnce(newOrder("other-1"), baseUrl)];
    expect(status).toBe(202);
    await bench().expectCompleted([...sent, ...later]);
    expect(await bench().operations()).toHaveLength(161);
  });
});

/** An order without its last byte. */
function halfUpload(key: string): string {
  const body = JSON.stringify({ itemId: `${key}-cut`, quantity: 1 });
  const head = [
    "POST /orders HTTP/1.1",
    "Host: a",
    "Content-Type: application/json",
    `Idempotency-Key: ${key}`,
  ];
  return [...head, `Content-Length: ${body.length}`, "", body.slice(0, -1)].join("\r\n");
}

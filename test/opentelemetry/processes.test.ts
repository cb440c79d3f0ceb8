import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { Client } from "pg";
import { expect, it, onTestFinished } from "vitest";
import { describePostgres } from "../support/postgres/server.js";

/** A span of one of the processes. */
interface PlainSpan {
  readonly role: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId?: string;
  /** Trace id and span id of each link. */
  readonly links: readonly string[];
}

interface Stage {
  /** Posts an order from a span of this process, and returns that span. */
  post(itemId: string): Promise<Pick<PlainSpan, "traceId" | "spanId">>;
  /** Waits until there are so many spans with these names, and returns all spans. */
  spans(count: number, ...names: readonly string[]): Promise<readonly PlainSpan[]>;
}

const ask = async <Answer>(child: ChildProcess): Promise<Answer> => {
  const [answer] = (await once(child, "message")) as [Answer];
  return answer;
};

await describePostgres("traces over three processes", (server) => {
  /** Starts an API, a worker and a receiver of webhooks. They end with the test. */
  async function startStage(relation: "link" | "parent"): Promise<Stage> {
    const schema = server.newSchema();
    const { user, password = "", host, port, database } = new Client(server.pool.options);
    const address = `postgres://${user}:${password}@${host}:${port}/${database}`;
    const children: ChildProcess[] = [];
    onTestFinished(() => {
      for (const child of children) child.kill("SIGKILL");
    });
    async function start(role: string, ...more: readonly string[]): Promise<string> {
      const child = fork(new URL("../processes/telemetry-child.mjs", import.meta.url), [
        ...[role, relation, address, schema],
        ...more,
      ]);
      children.push(child);
      return (await ask<{ readonly ready: string }>(child)).ready;
    }
    const receiver = await start("receiver");
    const origin = await start("api", receiver);
    await start("worker", receiver);

    async function allSpans(): Promise<PlainSpan[]> {
      const spans: PlainSpan[] = [];
      for (const child of children) {
        child.send("spans");
        spans.push(...(await ask<{ readonly spans: readonly PlainSpan[] }>(child)).spans);
      }
      return spans;
    }
    return {
      post: async (itemId) => {
        const exporter = new InMemorySpanExporter();
        const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
        const span = provider.getTracer("client").startSpan("client");
        const { traceId, spanId } = span.spanContext();
        const traceparent = `00-${traceId}-${spanId}-01`;
        const headers = { "content-type": "application/json", traceparent };
        const body = JSON.stringify({ itemId, quantity: 1 });
        expect((await fetch(`${origin}/orders`, { method: "POST", headers, body })).status).toBe(202);
        span.end();
        return { traceId, spanId };
      },
      spans: async (count, ...names) => {
        let spans: PlainSpan[] = [];
        await expect
          .poll(async () => {
            spans = await allSpans();
            return spans.filter(({ name }) => names.includes(name)).length;
          })
          .toBe(count);
        return spans;
      },
    };
  }

  it("lead from the client's POST through API and worker to the receiver of the webhook, as one trace", async () => {
    const stage = await startStage("parent");
    const client = await stage.post("book");
    const spans = await stage.spans(2, "receive webhook", "deliver orders");
    const of = (name: string): PlainSpan => {
      const found = spans.filter((span) => span.name === name);
      expect(found).toHaveLength(1);
      return found[0] as PlainSpan;
    };
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([client.traceId]));
    expect(spans.map(({ role, name }) => `${role}: ${name}`).sort()).toEqual([
      "api: submit orders",
      "receiver: receive webhook",
      "worker: deliver orders",
      "worker: process orders",
      "worker: ship",
    ]);
    expect(of("submit orders").parentId).toBe(client.spanId);
    expect(of("process orders").parentId).toBe(of("submit orders").spanId);
    expect(of("ship").parentId).toBe(of("process orders").spanId);
    expect(of("deliver orders").parentId).toBe(of("submit orders").spanId);
    expect(of("receive webhook").parentId).toBe(of("deliver orders").spanId);
  });

  it("are linked traces by default: one for the request, one for each attempt, and one for the delivery", async () => {
    const stage = await startStage("link");
    const client = await stage.post("flaky");
    const spans = await stage.spans(2, "receive webhook", "deliver orders");
    const named = (name: string): readonly PlainSpan[] => spans.filter((span) => span.name === name);
    const [submit] = named("submit orders");
    const later = [...named("process orders"), ...named("deliver orders")];
    expect(submit).toMatchObject({ traceId: client.traceId, parentId: client.spanId });
    expect(later.map(({ name }) => name)).toEqual(["process orders", "process orders", "deliver orders"]);
    for (const { links, parentId } of later) {
      expect(links).toEqual([`${submit?.traceId} ${submit?.spanId}`]);
      expect(parentId).toBeUndefined();
    }
    expect(new Set([client, ...later].map(({ traceId }) => traceId)).size).toBe(4);
    expect(named("receive webhook")[0]?.parentId).toBe(named("deliver orders")[0]?.spanId);
  });

  it("include an attempt that its own transaction has completed", async () => {
    const stage = await startStage("parent");
    const client = await stage.post("transaction");
    const spans = await stage.spans(2, "process orders", "receive webhook");
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([client.traceId]));
  });
});

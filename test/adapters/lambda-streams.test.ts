import { PassThrough, type Writable } from "node:stream";
import { text } from "node:stream/consumers";
import {
  type Backend,
  createMemoryBackend,
  createOrderService,
  createWorker,
  withQueue,
} from "async-request-reply";
import { type LambdaHandler, type LambdaResult, toStreamingLambdaHandler } from "async-request-reply/lambda";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { adapterCases, storeCases } from "../support/adapter-suite/cases.js";
import { declareAdapterCases } from "../support/adapter-suite/declare-cases.js";
import { request, submission } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { streamCases } from "../support/adapter-suite/mounting/streams.js";
import { effort } from "../support/effort.js";
import { createLambdaHarness, isUnfinished, lambdaFronts } from "../support/lambda-harness.js";
import { replacing } from "../support/replacing.js";
import { signalOf } from "../support/worker-stage.js";

/** Parts of the stream that the Node.js runtime of Lambda passes to a function. */
interface ReplyStream extends Writable {
  beforeFirstWrite?: () => void;
  contentType?: string;
}

/** The global of the Node.js runtime of Lambda: it sends the status and fields as JSON and 8 NULs before the first chunk. */
const awslambda = {
  streamifyResponse: <Handler>(handler: Handler) => handler,
  HttpResponseStream: {
    from: (stream: ReplyStream, head: object) => {
      stream.contentType = "application/vnd.awslambda.http-integration-response";
      stream.beforeFirstWrite = () => stream.write(`${JSON.stringify(head)}${"\0".repeat(8)}`);
      return stream;
    },
  },
};

function createStream() {
  const reader = new PassThrough();
  const write = reader.write.bind(reader);
  const stream: ReplyStream = Object.assign(reader, {
    write: (...args: Parameters<typeof write>) => {
      const { beforeFirstWrite } = stream;
      delete stream.beforeFirstWrite;
      beforeFirstWrite?.();
      return write(...args);
    },
  });
  return { stream, reader };
}

function toResult(reply: string): LambdaResult {
  const end = reply.indexOf("\0".repeat(8));
  const head = JSON.parse(reply.slice(0, end)) as Pick<LambdaResult, "statusCode">;
  return { ...head, body: reply.slice(end + 8), isBase64Encoded: false };
}

beforeAll(() => void vi.stubGlobal("awslambda", awslambda));
afterAll(() => void vi.unstubAllGlobals());

describe("the streaming Lambda adapter behind a function URL", () => {
  const mount = (service: Parameters<typeof toStreamingLambdaHandler>[0]): LambdaHandler => {
    const handler = toStreamingLambdaHandler(service);
    return async (event) => {
      const { stream, reader } = createStream();
      const [reply] = await Promise.all([text(reader), handler(event, stream)]);
      return toResult(reply);
    };
  };
  declareAdapterCases(
    createLambdaHarness(createMemoryBackend, lambdaFronts["a function URL"], mount),
    // Only the replies differ from those of the handler without streams, so `npm test` plays cases with all kinds of them.
    effort([...streamCases, ...storeCases], adapterCases).filter((each) => !isUnfinished(each)),
  );
});

describe("a stream on Lambda", () => {
  const { toEvent } = lambdaFronts["a function URL"];
  const createOrders = (backend: Backend<never> = createMemoryBackend()) =>
    createOrderService({ authorize: () => ({ id: "a" }), backend, observe: false });

  it("sends each event when it happens", async () => {
    const service = createOrders();
    const order = { itemId: "book", quantity: 1 };
    const { operationId } = await service.submit(service.definitions[0], order, { tenant: "a" });
    const finished = signalOf();
    const worker = createWorker(service, {
      orders: (_, job) => {
        job.progress(50);
        return finished.promise;
      },
    });
    const { stream, reader } = createStream();
    reader.setEncoding("utf8");
    let seen = "";
    reader.on("data", (chunk: string) => {
      seen += chunk;
    });
    const wanted = request("GET", `/operations/${operationId}`, { accept: "text/event-stream" });
    const handled = toStreamingLambdaHandler(service)(toEvent(wanted), stream);
    await expect.poll(() => seen).toContain('"status":"pending"');
    await worker.start();
    await expect.poll(() => seen).toContain('"progress":50');
    expect(reader.readableEnded).toBe(false);
    finished.resolve();
    await handled;
    await expect.poll(() => seen).toContain('"status":"completed"');
    expect(stream.contentType).toBe("application/vnd.awslambda.http-integration-response");
    await service.close();
  });

  it("ends after the announcement, even if it is cut, because nothing runs after it", async () => {
    const backend = createMemoryBackend();
    const ended: string[] = [];
    const slow = replacing(backend.queue, {
      publish: async () => {
        for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        ended.push("announcement");
      },
    });
    const service = createOrders(withQueue(backend, slow));
    const { stream } = createStream();
    stream.on("error", () => {});
    stream.destroy();
    const handled = toStreamingLambdaHandler(service)(toEvent(submission()), stream);
    await handled.catch(() => ended.push("stream"));
    expect(ended).toEqual(["announcement", "stream"]);
    await service.close();
  });

  it("is only possible in the Node.js runtime of Lambda", async () => {
    const service = createOrders();
    vi.stubGlobal("awslambda", undefined);
    expect(() => toStreamingLambdaHandler(service)).toThrow(/needs the global `awslambda`/);
    vi.stubGlobal("awslambda", awslambda);
    await service.close();
  });
});

import type { ServerResponse } from "node:http";
import { toExpressHandler } from "async-request-reply/express";
import { onTestFinished } from "vitest";
import type { Mounted, WireRequest, WireResponse } from "../support/adapter-suite/fixtures/adapter-case.js";
import { mountOrders, type Options } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { appWith, type Express } from "../support/express-apps.js";
import { createNodeHarness } from "../support/node-harness.js";
import { comparable, createPredictableBackend, toPredictable } from "./predictable-service.js";

/** Returns the handlers of an application in order, given the handler of the service. */
export type Arrange = (handler: ReturnType<typeof toExpressHandler>) => readonly unknown[];

/** Mounts an order service in a new application until the test ends. */
export async function mountExpress(express: Express, arrange: Arrange, options?: Options) {
  /** Errors that reached the application's error handler, which answers each with an empty 500. */
  const errors: unknown[] = [];
  // Express recognizes error handlers by their four parameters.
  const onError = (error: unknown, _req: unknown, res: ServerResponse, _next: unknown): void => {
    errors.push(error);
    res.writeHead(500).end();
  };
  const harness = createNodeHarness(createPredictableBackend, (service) =>
    appWith(express, ...arrange(toExpressHandler(service)), onError),
  );
  onTestFinished(harness.close);
  const mount: typeof harness.mount = (service) => harness.mount(toPredictable(service));
  return { ...(await mountOrders({ ...harness, mount }, options)), errors };
}

/** Sends the requests in order and returns the parts of the replies that the service decides. */
export async function repliesTo({ send }: Mounted, requests: readonly WireRequest[]) {
  const replies: WireResponse[] = [];
  for (const request of requests) replies.push(comparable(await send(request)));
  return replies;
}

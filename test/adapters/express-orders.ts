import type { ServerResponse } from "node:http";
import { toExpressHandler } from "async-request-reply/express";
import type { WireRequest, WireResponse } from "../support/adapter-suite/fixtures/adapter-case.js";
import { mountOrders, type Options, type Orders } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { appWith, type Express } from "../support/express-apps.js";
import { createNodeHarness } from "../support/node-harness.js";
import { comparable, createPredictableBackend, toPredictable } from "./predictable-service.js";

/** An order service in an Express application. */
export interface ExpressOrders extends Orders {
  /** Errors that reached the application's error handler, which answers each with an empty 500. */
  readonly errors: readonly unknown[];
}

/** Returns the handlers of an application in order, given the handler of the service. */
export type Arrange = (handler: ReturnType<typeof toExpressHandler>) => readonly unknown[];

/** Mounts each order service in a new application. `close` ends all of them. */
export function createExpressMounts(): {
  mount(express: Express, arrange: Arrange, options?: Options): Promise<ExpressOrders>;
  close(): Promise<void>;
} {
  const closing: (() => Promise<void>)[] = [];
  return {
    mount: async (express, arrange, options) => {
      const errors: unknown[] = [];
      // Express recognizes error handlers by their four parameters.
      const onError = (error: unknown, _req: unknown, res: ServerResponse, _next: unknown): void => {
        errors.push(error);
        res.writeHead(500).end();
      };
      const harness = createNodeHarness(createPredictableBackend, (service) =>
        appWith(express, ...arrange(toExpressHandler(service)), onError),
      );
      closing.push(harness.close);
      const mount: typeof harness.mount = (service) => harness.mount(toPredictable(service));
      return { ...(await mountOrders({ ...harness, mount }, options)), errors };
    },
    close: async () => {
      for (const close of closing.splice(0)) await close();
    },
  };
}

/** Sends the requests in order and returns the parts of the replies that the service decides. */
export async function repliesTo(
  { send }: Pick<Orders, "send">,
  requests: readonly WireRequest[],
): Promise<readonly WireResponse[]> {
  const replies: WireResponse[] = [];
  for (const request of requests) replies.push(comparable(await send(request)));
  return replies;
}

import {
  type Backend,
  bearer,
  createService,
  createWorker,
  type KnownCredentials,
} from "async-request-reply";
import { createOperator } from "async-request-reply/operator";
import { definitions, processors } from "./definitions.js";
import { makeTraffic } from "./traffic.js";

interface DemoOptions {
  readonly backend: Backend;
  readonly tokens: KnownCredentials;
  readonly drainTimeoutMs: number;
}

/** Opens a service with several definitions, its worker, and traffic for both. It logs nothing but warnings. */
export function openDemo({ backend, tokens, drainTimeoutMs }: DemoOptions) {
  const service = createService({ definitions, backend, authorize: bearer(tokens) });
  const worker = createWorker(service, processors, { drainTimeoutMs });
  const stopping = new AbortController();
  return {
    service,
    worker,
    /** Starts the traffic. */
    begin: (): void => {
      const operator = createOperator({ backend, definitions });
      void makeTraffic(service, operator, stopping.signal);
    },
    /** Stops the traffic. */
    end: (): void => stopping.abort(),
  };
}

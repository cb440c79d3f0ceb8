import {
  type Backend,
  createMemoryBackend,
  createService,
  createWorker,
  defineOperation,
  type HttpResponse,
  permanentFailure,
  type RunSummary,
  type Service,
  type ServiceEvent,
  type Worker,
} from "async-request-reply";
import { createManualClock, type ManualClock } from "async-request-reply/testing";
import { createWebhooks, type WebhooksOptions } from "async-request-reply/webhooks";
import * as z from "zod";
import { type Receiver, startReceiver } from "./receiver.js";

export const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

export const exportsOf = defineOperation({
  name: "exports",
  path: "/exports",
  input: z.strictObject({ outcome: z.enum(["complete", "refuse", "mend"]) }),
  cancellable: true,
});

/** A service with webhooks to a receiver on loopback, its worker, and a clock that both follow. */
export interface WebhookStage {
  readonly clock: ManualClock;
  readonly backend: Backend;
  readonly receiver: Receiver;
  readonly service: Service<readonly [typeof exportsOf]>;
  readonly events: readonly ServiceEvent[];
  /** Posts work and returns the reply. */
  post(outcome?: string, headers?: Readonly<Record<string, string>>): Promise<HttpResponse>;
  /** Posts work and returns the id of its operation. */
  submit(outcome?: string, headers?: Readonly<Record<string, string>>): Promise<string>;
  /** Runs the work and the deliveries that are due. */
  work(): Promise<RunSummary>;
  /** Runs everything that becomes due within a time. Looks at `steps` points of it. */
  workFor(ms: number, steps?: number): Promise<void>;
  /** Runs the deliveries that become due within a time, in a process without the service. */
  workAsDeliverer(ms: number): Promise<void>;
  /** Lets `mend` complete from now on. */
  mend(): void;
  close(): Promise<void>;
}

interface StageOptions {
  readonly change?: (backend: Backend) => Backend;
  readonly random?: () => number;
  readonly deliver?: boolean;
  /** Passed to the service, and to workers without it. */
  readonly problemBaseUri?: string;
}

/** Creates a stage. The options of the webhooks may replace its endpoint, which signs with {@link SECRET}. */
export async function createStage(
  options: Partial<WebhooksOptions> = {},
  { change = (backend) => backend, random = () => 0.5, deliver = true, ...shared }: StageOptions = {},
): Promise<WebhookStage> {
  const receiver = await startReceiver();
  const clock = createManualClock();
  const events: ServiceEvent[] = [];
  const backend = change(createMemoryBackend({ clock }));
  const webhooks = createWebhooks({
    endpoint: () => ({ url: receiver.url, secrets: [SECRET] }),
    trustedOrigins: [receiver.origin],
    ...options,
  });
  const runtime = { clock, random };
  const observe = (event: ServiceEvent): void => void events.push(event);
  const authorize = (): { id: string; tenant: string } => ({ id: "ann", tenant: "acme" });
  const service = createService({
    definitions: [exportsOf],
    backend,
    authorize,
    webhooks,
    runtime,
    observe,
    ...shared,
  });
  let mended = false;
  const run = ({ outcome }: { readonly outcome: string }): { rows: number } => {
    if (outcome === "refuse" || (outcome === "mend" && !mended)) throw permanentFailure("It cannot be done.");
    return { rows: 3 };
  };
  const source = deliver ? service : { definitions: [exportsOf] as const, backend, runtime, observe };
  const worker: Worker = createWorker(source, { exports: run });
  const deliverer = (): Worker =>
    createWorker({ definitions: [exportsOf] as const, backend, webhooks, runtime, observe, ...shared }, {});
  const post: WebhookStage["post"] = (outcome = "complete", headers = {}) => {
    const fields = { "content-type": "application/json", ...headers };
    return service.handle({
      method: "POST",
      path: "/exports",
      headers: fields,
      body: JSON.stringify({ outcome }),
    });
  };
  return {
    clock,
    backend,
    receiver,
    service,
    events,
    post,
    submit: async (outcome, headers) =>
      ((await post(outcome, headers)).headers.location ?? "").slice("/operations/".length),
    work: () => worker.runUntilIdle(),
    workFor: async (ms, steps = 100) => {
      for (let step = 0; step < steps; step += 1) {
        await clock.advance(ms / steps);
        await worker.runUntilIdle();
      }
    },
    workAsDeliverer: async (ms) => {
      const delivering = deliverer();
      await delivering.runUntilIdle();
      await clock.advance(ms);
      await delivering.runUntilIdle();
    },
    mend: () => {
      mended = true;
    },
    close: async () => {
      await service.close();
      await receiver.close();
    },
  };
}

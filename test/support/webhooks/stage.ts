import {
  type Backend,
  createMemoryBackend,
  createService,
  createWorker,
  defineOperation,
  permanentFailure,
  type ServiceEvent,
} from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { createWebhooks, type WebhooksOptions } from "async-request-reply/webhooks";
import * as z from "zod";
import { startReceiver } from "./receiver.js";

export const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

export const exportsOf = defineOperation({
  name: "exports",
  path: "/exports",
  input: z.strictObject({ outcome: z.enum(["complete", "refuse", "mend"]) }),
  cancellable: true,
});

/** A service with webhooks to a receiver on loopback, its worker, and a clock that both follow. */
export type WebhookStage = Awaited<ReturnType<typeof createStage>>;

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
) {
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
  const authorize = () => ({ id: "ann", tenant: "acme" });
  const source = { definitions: [exportsOf] as const, backend, runtime, observe };
  const service = createService({ ...source, authorize, webhooks, ...shared });
  let mended = false;
  const run = ({ outcome }: { readonly outcome: string }) => {
    if (outcome === "refuse" || (outcome === "mend" && !mended)) throw permanentFailure("It cannot be done.");
    return { rows: 3 };
  };
  const worker = createWorker(deliver ? service : source, { exports: run });
  const post = (outcome = "complete", fields: Readonly<Record<string, string>> = {}) => {
    const headers = { "content-type": "application/json", ...fields };
    return service.handle({ method: "POST", path: "/exports", headers, body: JSON.stringify({ outcome }) });
  };
  return {
    clock,
    backend,
    receiver,
    service,
    events,
    /** Posts work and returns the reply. */
    post,
    /** Posts work and returns the id of its operation. */
    submit: async (...given: Parameters<typeof post>) =>
      ((await post(...given)).headers.location ?? "").slice("/operations/".length),
    /** Runs the work and the deliveries that are due. */
    work: () => worker.runUntilIdle(),
    /** Runs everything that becomes due within a time. Looks at `steps` points of it. */
    workFor: async (ms: number, steps = 100) => {
      for (let step = 0; step < steps; step += 1) {
        await clock.advance(ms / steps);
        await worker.runUntilIdle();
      }
    },
    /** Runs the deliveries that become due within a time, in a process without the service. */
    workAsDeliverer: async (ms: number) => {
      const delivering = createWorker({ ...source, webhooks, ...shared }, {});
      await delivering.runUntilIdle();
      await clock.advance(ms);
      await delivering.runUntilIdle();
    },
    /** Lets `mend` complete from now on. */
    mend: () => {
      mended = true;
    },
    close: async () => {
      await service.close();
      await receiver.close();
    },
  };
}

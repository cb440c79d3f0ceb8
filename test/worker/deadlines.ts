import {
  allowAnonymous,
  type Backend,
  createService,
  createWorker,
  defineOperation,
  type HttpRequest,
  type HttpResponse,
  type ServiceEvent,
} from "async-request-reply";
import { createOperator } from "async-request-reply/operator";
import type { OperationLimits } from "async-request-reply/ports";
import { createManualClock } from "async-request-reply/testing";
import { createWebhooks } from "async-request-reply/webhooks";
import { expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { claimOne } from "../support/claims.js";
import { startReceiver } from "../support/webhooks/receiver.js";
import { SECRET } from "../support/webhooks/stage.js";
import { signalOf } from "../support/worker-stage.js";

/** A back end whose time only passes when the test says so. */
export interface Stopped {
  readonly backend: Backend;
  /** Lets time pass on the clock of the store. */
  pass(ms: number): Promise<void>;
}

const tenant = "anonymous";
const input = z.object({ name: z.string() });

/** Declares that work with a deadline starts in time or expires. `open` returns a new back end. */
export function declareDeadlines(open: () => Stopped | Promise<Stopped>): void {
  async function stage({ limits, webhookUrl }: { limits?: OperationLimits; webhookUrl?: string } = {}) {
    const { backend, pass } = await open();
    const codes = defineOperation({
      name: "codes",
      path: "/codes",
      input,
      startWithinMs: 5_000,
      ...(limits === undefined ? {} : { limits }),
    });
    const events: ServiceEvent[] = [];
    const ran: string[] = [];
    const definitions = [codes] as const;
    const service = createService({
      definitions,
      backend,
      authorize: allowAnonymous(),
      observe: (event) => void events.push(event),
      // Its time stands still, so it reads nothing again unless it is notified.
      runtime: { clock: createManualClock(), random: () => 0.5 },
      ...(webhookUrl === undefined
        ? {}
        : {
            webhooks: createWebhooks({
              endpoint: () => ({ url: webhookUrl, secrets: [SECRET] }),
              trustedOrigins: [new URL(webhookUrl).origin],
            }),
          }),
    });
    const worker = createWorker(service, {
      codes: ({ name }, job) => {
        ran.push(name);
        if (name === "released" && ran.length === 1) job.release();
        if (name === "failing" && ran.length === 1) throw new Error("The first attempt fails.");
      },
    });
    onTestFinished(async () => {
      await service.close();
      await backend.close();
    });
    const read = (id: string) => service.get(codes, id, { tenant });
    return {
      backend,
      codes,
      service,
      ran,
      pass,
      operator: createOperator({ definitions, backend, observe: false }),
      /** Sweeps, and runs what is due. */
      work: () => worker.runUntilIdle(),
      /** Runs another worker, and stops it while its schema checks the input, or during the work. */
      stopDuring: async (part: "check" | "work") => {
        const reached = signalOf();
        const stall = (): Promise<never> => {
          reached.resolve();
          return new Promise(() => {});
        };
        const checked = part === "check" ? input.refine(stall) : input;
        const definition = defineOperation({ name: "codes", path: "/codes", input: checked });
        const source = { definitions: [definition], backend, observe: false } as const;
        const other = createWorker(source, { codes: stall }, { drainTimeoutMs: 1 });
        await other.start();
        await reached.promise;
        await other.stop();
      },
      submit: async (name: string, options: object = {}) =>
        (await service.submit(codes, { name }, { tenant, ...options })).operationId,
      read,
      passAndWork: async (ms: number) => {
        await pass(ms);
        await worker.runUntilIdle();
      },
      expires: async (id: string) =>
        expect(await read(id)).toMatchObject({ status: "failed", attempt: 0, error: { name: "expired" } }),
      waits: async (id: string) => expect(await read(id)).toMatchObject({ status: "pending", attempt: 0 }),
      expired: () => events.filter(({ event }) => event === "operation.expired"),
    };
  }

  it("runs before its deadline, and not after it", async () => {
    const { submit, passAndWork, ran, read, expires, expired } = await stage();
    const early = await submit("early");
    await passAndWork(4_000);
    const late = await submit("late", { principal: "ann" });
    await passAndWork(5_000);
    expect(ran).toEqual(["early"]);
    expect(await read(early)).toMatchObject({ status: "completed" });
    await expires(late);
    const createdAt = Number((await read(late))?.createdAt);
    const about = { operationId: late, definition: "codes", tenant, principal: "ann", createdAt };
    expect(expired()).toEqual([{ event: "operation.expired", ...about }]);
  });

  it("expires while its definition is paused", async () => {
    const { submit, operator, passAndWork, work, ran, waits, expires } = await stage();
    const id = await submit("paused");
    await operator.pause("codes");
    await passAndWork(4_000);
    await waits(id);
    await passAndWork(1_000);
    await expires(id);
    await operator.resume("codes");
    await work();
    expect(ran).toEqual([]);
  });

  it("expires while no place is free", async () => {
    const { backend, submit, passAndWork, ran, waits, expires } = await stage({ limits: { running: 1 } });
    const running = await submit("running", { startWithinMs: 60_000 });
    const lease = { token: "held", leaseMs: 60_000, limits: { running: 1 } };
    expect(await claimOne(backend.operations, running, lease)).toBeDefined();
    const id = await submit("waiting");
    await passAndWork(4_000);
    await waits(id);
    await passAndWork(1_000);
    await expires(id);
    expect(ran).toEqual([]);
  });

  it("expires although the worker that ends it has no processor for it", async () => {
    const { backend, submit, pass, expires } = await stage();
    const id = await submit("unattended");
    const others = defineOperation({ name: "others", path: "/others", input });
    const observe = false;
    const worker = createWorker({ definitions: [others], backend, observe }, { others: () => undefined });
    await pass(5_000);
    await worker.runUntilIdle();
    await expires(id);
  });

  it("counts from the end of its delay, within the time that the submission chose", async () => {
    const { submit, passAndWork, ran, waits, expires } = await stage();
    const early = await submit("early", { delayMs: 10_000, startWithinMs: 2_000 });
    const late = await submit("late", { delayMs: 10_000, startWithinMs: 1_000 });
    await passAndWork(9_000);
    for (const id of [early, late]) await waits(id);
    await passAndWork(2_000);
    expect(ran).toEqual(["early"]);
    await expires(late);
  });

  it("can be another for each item of a list", async () => {
    const { service, codes, passAndWork, ran, read, expires } = await stage();
    const items = [{ input: { name: "own" } }, { input: { name: "later" }, startWithinMs: 6_000 }];
    const outcomes = await service.submitMany(codes, items, { tenant });
    const [own = "", later = ""] = outcomes.map((each) => ("operationId" in each ? each.operationId : ""));
    await passAndWork(5_000);
    expect(ran).toEqual(["later"]);
    await expires(own);
    expect(await read(later)).toMatchObject({ status: "completed" });
  });

  it("never expires once it has started, also if the attempt did not count", async () => {
    const { submit, passAndWork, work, ran, read, expired } = await stage();
    const id = await submit("released");
    await work();
    await passAndWork(60_000);
    expect(ran).toEqual(["released", "released"]);
    expect(await read(id)).toMatchObject({ status: "completed", attempt: 1 });
    expect(expired()).toEqual([]);
  });

  it("never expires once it has started, also if the worker stopped", async () => {
    const { submit, stopDuring, passAndWork, ran, waits, expired } = await stage();
    const id = await submit("stopped");
    await stopDuring("work");
    await waits(id);
    await passAndWork(5_000);
    expect(ran).toEqual(["stopped"]);
    expect(expired()).toEqual([]);
  });

  it.each([
    ["starts by its deadline", 4_000, ["validated"], 0],
    ["expires", 5_000, [], 1],
  ])(
    "%s if a worker began the attempt and stopped before the start",
    async (_, ms, expected, expirations) => {
      const { submit, stopDuring, passAndWork, ran, waits, expired } = await stage();
      const id = await submit("validated");
      await stopDuring("check");
      await waits(id);
      await passAndWork(ms);
      expect(ran).toEqual(expected);
      expect(expired()).toHaveLength(expirations);
    },
  );

  it("expires while it waits for a worker that accepts its input", async () => {
    const { backend, submit, passAndWork, ran, waits, expires, expired } = await stage();
    const id = await submit("refused");
    const older = defineOperation({ name: "codes", path: "/codes", input: z.object({ name: z.number() }) });
    const source = { definitions: [older], backend, observe: false } as const;
    await createWorker(source, { codes: () => undefined }).runUntilIdle();
    await waits(id);
    await passAndWork(5_000);
    await expires(id);
    expect(ran).toEqual([]);
    expect(expired()).toHaveLength(1);
  });

  it("never expires while it waits for a retry", async () => {
    const { submit, passAndWork, work, ran, read, expired } = await stage();
    const id = await submit("failing");
    await work();
    expect(await read(id)).toMatchObject({ status: "pending", attempt: 1 });
    await passAndWork(3_600_000);
    expect(ran).toEqual(["failing", "failing"]);
    expect(await read(id)).toMatchObject({ status: "completed", attempt: 2 });
    expect(expired()).toEqual([]);
  });

  it("expires only once, and stays as it is", async () => {
    const { codes, service, submit, pass, work, expires, expired } = await stage();
    const id = await submit("once", { key: "k" });
    await pass(5_000);
    await Promise.all([work(), work(), work()]);
    expect(await service.cancel(codes, id, { tenant })).toMatchObject({ outcome: "terminal" });
    const again = await service.submit(codes, { name: "once" }, { tenant, key: "k" });
    expect(again).toMatchObject({ operationId: id, replayed: true, status: "failed" });
    await expires(id);
    expect(expired()).toHaveLength(1);
    const result = service.result(codes, id, { tenant });
    const context = { problem: { name: "expired" } };
    await expect(result).rejects.toMatchObject({ code: "OPERATION_FAILED", context });
  });

  it("can be run again, with a new deadline of the same length", async () => {
    const { operator, submit, passAndWork, ran, expires, expired } = await stage();
    const ids = [await submit("a"), await submit("b")] as const;
    await passAndWork(5_000);
    const again = await operator.redrive(ids[0]);
    await passAndWork(4_000);
    expect(ran).toEqual(["a"]);
    expect(again).toMatchObject({ outcome: "redriven" });
    const other = await operator.redrive(ids[1]);
    await passAndWork(5_000);
    expect(ran).toEqual(["a"]);
    await expires(other.operation?.operationId ?? "");
    expect(expired()).toHaveLength(3);
  });

  it("notifies everyone who waits for it at once", async () => {
    const { codes, service, submit, passAndWork } = await stage();
    const id = await submit("awaited");
    const get = (headers: HttpRequest["headers"]) =>
      service.handle({ method: "GET", path: `/operations/${id}`, headers });
    const waiting = get({ prefer: "wait=20" });
    const streaming = get({ accept: "text/event-stream" });
    const result = service.result(codes, id, { tenant }).catch((error: unknown) => error);
    await passAndWork(5_000);
    const waited = JSON.parse(await textOf((await waiting).body));
    expect(waited).toMatchObject({ status: "failed", error: { name: "expired" } });
    expect(await textOf((await streaming).body)).toContain('"name":"expired"');
    expect(await result).toMatchObject({ code: "OPERATION_FAILED" });
  });

  it("is announced with a webhook", async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const { submit, passAndWork } = await stage({ webhookUrl: receiver.url });
    const operationId = await submit("announced");
    await passAndWork(5_000);
    expect(receiver.received.map(({ body }) => JSON.parse(body))).toMatchObject([
      { type: "operation.failed", data: { operationId, error: { name: "expired" } } },
    ]);
  });
}

/** Returns the text of a body. */
function textOf(body: HttpResponse["body"]): Promise<string> {
  return new Response(body as ConstructorParameters<typeof Response>[0]).text();
}

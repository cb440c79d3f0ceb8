import {
  type Backend,
  createService,
  createWorker,
  defineOperation,
  type ServiceEvent,
  type WorkerOptions,
} from "async-request-reply";
import type { AppendResult, Lease, OutputAppend } from "async-request-reply/ports";
import { expect, it } from "vitest";
import * as z from "zod";
import { claimOne } from "./claims.js";

/** A back end whose transactions also write effects of the user, such as rows. */
export interface EffectsBackend {
  readonly backend: Backend<unknown>;
  /** Writes an effect in a transaction. Synchronous if the transactions are. */
  write(tx: unknown, effect: string): unknown;
  /** Returns the committed effects. */
  effects(): Promise<readonly unknown[]> | readonly unknown[];
  /** Calls the port: writes an effect, and appends what `output` returns. */
  append(lease: Lease, effect: string, output: () => OutputAppend): Promise<AppendResult>;
}

const imports = defineOperation({
  name: "imports",
  path: "/imports",
  input: z.unknown(),
  chunk: z.string(),
  checkpoint: z.object({ next: z.int() }),
});

/** The job of the tests, with the function that the transactions of the back end take. */
interface ImportJob {
  readonly attempt: number;
  readonly resumed: { readonly next: number } | undefined;
  write(chunk: string): Promise<void>;
  checkpoint(value: { readonly next: number }, work?: (tx: unknown) => unknown): Promise<unknown>;
  transaction(work: (tx: unknown) => unknown): Promise<unknown>;
}

/** Declares what transactions of attempts do with output and checkpoints. */
export function declareOutputTransactions(open: () => Promise<EffectsBackend> | EffectsBackend): void {
  async function stage() {
    const given = await open();
    const { backend } = given;
    const events: ServiceEvent[] = [];
    const service = createService({
      definitions: [imports],
      backend,
      observe: (event) => events.push(event),
    });
    const { operationId: id } = await service.submit(imports, {});
    const read = async () => (await backend.output?.read([{ id, maxLength: 10_000_000 }]))?.[0];
    return {
      ...given,
      id,
      events,
      /** Runs what is due. */
      work: (run: (job: ImportJob) => unknown, options: WorkerOptions = {}) =>
        createWorker(
          service,
          { imports: (_, job) => run(job as unknown as ImportJob) },
          { maxAttempts: 1, ...options },
        ).runUntilIdle(),
      view: () => service.get(imports, id),
      output: async () => (await read())?.chunks.map((chunk) => JSON.parse(chunk) as unknown),
      begin: async (): Promise<Lease> => {
        const lease = { operationId: id, token: "00000000-0000-4000-8000-000000000001" };
        await claimOne(backend.operations, id, { ...lease, leaseMs: 60_000 });
        return lease;
      },
    };
  }

  const toAppend = (lease: Lease, from: number, chunk: string): OutputAppend => {
    const text = JSON.stringify(chunk);
    const checkpoint = { value: `{"next":${from + 1}}`, number: from + 1 };
    return { lease, from, chunks: [text], bytes: text.length, checkpoint };
  };

  it("appends in a transaction of the user, again and again, and only for the attempt that has the operation", async () => {
    const { append, begin, effects, output, backend } = await stage();
    const lease = await begin();
    const results = [
      await append(lease, "first", () => toAppend(lease, 0, "a")),
      await append({ ...lease, token: "another" }, "late", () => toAppend(lease, 1, "x")),
      await append(lease, "second", () => toAppend(lease, 1, "b")),
      // The chunks do not follow those that stand.
      await append(lease, "gap", () => toAppend(lease, 5, "y")),
    ];
    expect(results).toEqual(["stored", "lost", "stored", "lost"]);
    expect(await effects()).toEqual(["first", "second"]);
    expect(await output()).toEqual(["a", "b"]);
    expect(await backend.output?.begun(lease)).toMatchObject({
      count: 2,
      checkpoint: { value: '{"next":2}' },
    });
    await backend.operations.settle(lease, { to: "completed" });
    expect(await append(lease, "ended", () => toAppend(lease, 2, "z"))).toBe("lost");
    expect(await effects()).toEqual(["first", "second"]);
  });

  it("commits rows, chunks and the checkpoint together, and the attempt goes on", async () => {
    const { work, write, effects, output, view } = await stage();
    const results: unknown[] = [];
    await work(async (job) => {
      await job.write("before");
      for (const next of [1, 2])
        results.push(
          await job.checkpoint({ next }, (tx) => {
            void job.write(`chunk ${next}`);
            const written = write(tx, `row ${next}`);
            return written instanceof Promise ? written.then(() => next) : next;
          }),
        );
      await job.write("after");
      return "done";
    });
    expect(results).toEqual([1, 2]);
    expect(await effects()).toEqual(["row 1", "row 2"]);
    expect(await output()).toEqual(["before", "chunk 1", "chunk 2", "after"]);
    expect(await view()).toMatchObject({ status: "completed", result: "done" });
  });

  it("rolls all of it back if the function throws, and the attempt can go on", async () => {
    const { work, write, effects, output } = await stage();
    const failure = new Error("no such row");
    const caught: unknown[] = [];
    await work(async (job) => {
      await job.write("before");
      const saving = job.checkpoint({ next: 1 }, (tx) => {
        void job.write("within");
        const written = write(tx, "row");
        if (!(written instanceof Promise)) throw failure;
        return written.then(() => {
          throw failure;
        });
      });
      await saving.catch((error: unknown) => caught.push(error));
      await job.checkpoint({ next: 2 }, (tx) => write(tx, "other row"));
    });
    expect(caught[0]).toBe(failure);
    expect(await effects()).toEqual(["other row"]);
    expect(await output()).toEqual(["before"]);
  });

  it("does not wait for room in the function", async () => {
    const { work, write, output } = await stage();
    await work((job) =>
      job.checkpoint({ next: 1 }, (tx) => {
        const chunks = Array.from({ length: 5 }, () => job.write("x".repeat(30_000)));
        const written = write(tx, "row");
        return written instanceof Promise ? Promise.all([...chunks, written]) : written;
      }),
    );
    expect(await output()).toHaveLength(5);
  });

  it("stores what is written before and in `job.transaction` in its commit", async () => {
    const { work, write, effects, output, view } = await stage();
    const late: unknown[] = [];
    await work(async (job) => {
      await job.write("a");
      await job.write("b");
      await job.transaction((tx) => {
        void job.write("within");
        return write(tx, "row");
      });
      await job.write("late").catch((error: unknown) => late.push(error));
    });
    expect(late).toMatchObject([{ code: "INVALID_OPTION" }]);
    expect(await view()).toMatchObject({ status: "completed" });
    expect(await effects()).toEqual(["row"]);
    expect(await output()).toEqual(["a", "b", "within"]);
  });

  it("rolls back what is written in `job.transaction` with it", async () => {
    const { work, write, effects, output, view } = await stage();
    await work(async (job) => {
      await job.write("a");
      const working = job.transaction((tx) => {
        void job.write("within");
        const written = write(tx, "row");
        if (!(written instanceof Promise)) throw new Error("no");
        return written.then(() => Promise.reject(new Error("no")));
      });
      await working.catch(() => {});
      await job.write("b");
    });
    expect(await view()).toMatchObject({ status: "completed" });
    expect(await effects()).toEqual([]);
    expect(await output()).toEqual(["a", "b"]);
  });

  it("commits nothing if a chunk that is written in it is invalid", async () => {
    const { work, write, effects, view } = await stage();
    await work((job) =>
      job.checkpoint({ next: 1 }, (tx) => {
        void job.write(1 as never);
        return write(tx, "row");
      }),
    );
    expect(await view()).toMatchObject({ status: "failed", error: { name: "invalid-result" } });
    expect(await effects()).toEqual([]);
  });
}

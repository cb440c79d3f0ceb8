import {
  createService,
  createWorker,
  defineOperation,
  permanentFailure,
  type Service,
} from "async-request-reply";
import { createOperator } from "async-request-reply/operator";
import { createPostgresBackend } from "async-request-reply/postgres";
import { expect, it, onTestFinished } from "vitest";
import { anything } from "../../support/careless-schema.js";
import { describePostgres } from "../../support/postgres/server.js";
import { signalOf } from "../../support/worker-stage.js";

const TENANT = { tenant: "a" };
/** Far below the 10 s after which an idle worker claims without a ring. */
const AT_ONCE = { timeout: 3_000 };

const plain = defineOperation({ name: "plain", path: "/plain", input: anything });
const laned = defineOperation({
  name: "laned",
  path: "/laned",
  input: anything,
  serialBy: () => "lane",
  cancellable: true,
});
const limited = defineOperation({
  name: "limited",
  path: "/limited",
  input: anything,
  limits: { running: 1 },
});
const definitions = [plain, laned, limited] as const;

await describePostgres("an idle worker in another process", (server) => {
  /** A service and an operator in one process, and an idle worker in another. The work `fails` does so the first time. */
  async function stage() {
    const schema = server.newSchema();
    const open = () => createPostgresBackend({ pool: server.pool, schema });
    const [here, there] = [open(), open()];
    await here.migrate();
    const started: unknown[] = [];
    const service = createService({ definitions, backend: here, observe: false });
    const operator = createOperator({ definitions, backend: here, observe: false });
    const run = (input: unknown) => {
      const isFirst = !started.includes(input);
      started.push(input);
      if (isFirst && input === "fails") throw permanentFailure("no");
    };
    const worker = createWorker(
      { definitions, backend: there, observe: false },
      { plain: run, laned: run, limited: run },
    );
    await worker.start();
    onTestFinished(async () => {
      await worker.stop();
      await Promise.all([service.close(), there.close()]);
    });
    // It listens once it has heard of this.
    await service.submit(plain, "first", TENANT);
    await expect.poll(() => started).toEqual(["first"]);
    return { here, service, operator, started };
  }

  const cases: Readonly<Record<string, (service: Service<typeof definitions>) => Promise<unknown>>> = {
    "a submission": (service) => service.submit(plain, "wanted", TENANT),
    "a delayed submission": (service) => service.submit(plain, "wanted", { ...TENANT, delayMs: 500 }),
    "a list": (service) => service.submitMany(plain, [{ input: "wanted" }], TENANT),
  };

  it.each(Object.entries(cases))("begins at once after %s", async (_, act) => {
    const { service, started } = await stage();
    await act(service);
    await expect.poll(() => started, AT_ONCE).toContain("wanted");
  });

  it("begins at once after the end of a pause", async () => {
    const { service, operator, started } = await stage();
    await operator.pause("plain");
    await service.submit(plain, "wanted", TENANT);
    await service.submit(laned, "second", TENANT);
    await expect.poll(() => started).toContain("second");
    await operator.resume("plain");
    await expect.poll(() => started, AT_ONCE).toContain("wanted");
  });

  it("begins at once after a redrive", async () => {
    const { service, operator, started } = await stage();
    const { operationId } = await service.submit(plain, "fails", TENANT);
    await expect.poll(async () => (await operator.get(operationId))?.status).toBe("failed");
    await operator.redrive(operationId);
    await expect.poll(() => started.filter((input) => input === "fails"), AT_ONCE).toHaveLength(2);
  });

  it.each([laned, limited])(
    "begins at once after the last attempt of a process that stops: $name",
    async (definition) => {
      const { here, service, started } = await stage();
      const held = signalOf();
      const finish = signalOf();
      const hold = () => {
        held.resolve();
        return finish.promise;
      };
      const stopping = createWorker(service, { [definition.name]: hold });
      await here.operations.create({
        ...{ id: "01980000-0000-7000-8000-000000000000", tenant: "a", definition: definition.name },
        ...{ input: '"holder"', retentionMs: 60_000, lane: "lane" },
      });
      await stopping.start();
      await held.promise;
      const stopped = stopping.stop();
      await service.submit(definition, "wanted", TENANT);
      // The idle worker has heard of it, and finds no place.
      await service.submit(plain, "second", TENANT);
      await expect.poll(() => started).toContain("second");
      expect(started).not.toContain("wanted");
      finish.resolve();
      await expect.poll(() => started, AT_ONCE).toContain("wanted");
      await stopped;
    },
  );

  it("begins at once after the cancellation of the operation before it in its lane", async () => {
    const { service, started } = await stage();
    const { operationId } = await service.submit(laned, "first of all", { ...TENANT, delayMs: 3_600_000 });
    await service.submit(laned, "wanted", TENANT);
    await service.submit(plain, "second", TENANT);
    await expect.poll(() => started).toContain("second");
    await service.cancel(laned, operationId, TENANT);
    await expect.poll(() => started, AT_ONCE).toContain("wanted");
  });
});

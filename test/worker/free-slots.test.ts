import { type Backend, defineOrders, type Job } from "async-request-reply";
import { expect, it } from "vitest";
import { interceptBackend } from "../support/intercept-backend.js";
import { createStage, signalOf } from "../support/worker-stage.js";

it("a slot that becomes free during a claim that fills all others is used at once, without a ring", async () => {
  const claiming = signalOf();
  const goOn = signalOf();
  let isHeld = false;
  let queue: Backend["queue"] | undefined;
  const { worker, submit, clock } = createStage([defineOrders()], (backend) => {
    ({ queue } = backend);
    return interceptBackend(backend, async ({ method }, proceed) => {
      if (method === "publish") return undefined;
      const answer = await proceed();
      if (method === "claim" && isHeld) {
        isHeld = false;
        claiming.resolve();
        await goOn.promise;
      }
      return answer;
    });
  });
  const finish = signalOf();
  const begun: string[] = [];
  const first = await submit();
  const run = (_: unknown, { operationId }: Job) => {
    begun.push(operationId);
    return operationId === first ? finish.promise : new Promise(() => {});
  };
  const working = worker({ orders: run }, { concurrency: 2, drainTimeoutMs: 1 });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn += 1) await clock.advance(1);
  };
  await working.start();
  await settle();
  const others = [await submit(), await submit()];
  isHeld = true;
  await queue?.publish([{ definition: "orders" }]);
  await claiming.promise;
  finish.resolve();
  await settle();
  goOn.resolve();
  await settle();
  expect(begun).toEqual([first, ...others]);
  const stopped = working.stop();
  await clock.advance(10_000);
  await stopped;
});

import { createMemoryBackend } from "async-request-reply";
import type { OperatorAction } from "async-request-reply/operator";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import type { Details, Sent, Series } from "../../src/console/wire.js";
import { createConsoleStage, dataOf } from "./stage.js";

type Actions = { readonly actions: readonly Sent<OperatorAction>[] };

const ann = () => ({ access: "operate", id: "ann" }) as const;
const BY_ANN = { by: "ann", via: "console" };

describe("an action in the console", () => {
  it("is recorded with the person who is signed in", async () => {
    const { change, read, submit, end } = createConsoleStage("operate", { authorize: ann });
    const failed = await end("throw");
    const pending = await submit("complete");
    for (const paused of [true, false])
      dataOf(await change("/api/pauses", { definition: "exports", paused }));
    dataOf(await change(`/api/operations/${pending}/cancel`));
    dataOf(await change(`/api/operations/${failed}/redrive`));
    const { actions } = await read<Actions>("/api/actions?definition=exports");
    const about = { at: expect.any(String), definition: "exports", ...BY_ANN };
    const retriedBy = expect.any(String);
    expect(actions.map(({ action }) => action).sort()).toEqual(["cancel", "pause", "redrive", "resume"]);
    expect(actions).toContainEqual({ ...about, action: "pause", facts: {} });
    expect(await read<Sent<Details>>(`/api/operations/${failed}`)).toMatchObject({
      actions: [{ ...about, action: "redrive", operationId: failed, facts: { retriedBy } }],
    });
    expect(await read<Sent<Details>>(`/api/operations/${pending}`)).toMatchObject({
      actions: [{ ...about, action: "cancel", operationId: pending, facts: { outcome: "cancelled" } }],
    });
  });

  it("has no name if the caller has none", async () => {
    const { change, read } = createConsoleStage("operate");
    dataOf(await change("/api/pauses", { definition: "exports", paused: true }));
    const { actions } = await read<Actions>("/api/actions?definition=exports");
    const at = expect.any(String);
    expect(actions).toEqual([{ at, action: "pause", definition: "exports", via: "console", facts: {} }]);
  });

  it("is one for all requests of a bulk redrive", async () => {
    const { change, read, end } = createConsoleStage("operate", { authorize: ann });
    for (let count = 0; count < 11; count += 1) await end("throw");
    const filter = { definition: "exports", createdFrom: "2020-01-01T00:00:00.000Z" };
    dataOf(await change("/api/redrives", { filter, dryRun: true }));
    const { cursor } = dataOf<{ cursor?: string }>(await change("/api/redrives", { filter }));
    const recorded = async () => (await read<Actions>("/api/actions?definition=exports")).actions;
    const action = { action: "redrive-many", definition: "exports", ...BY_ANN };
    expect(await recorded()).toMatchObject([{ ...action, facts: { redriven: 10, more: true, filter } }]);
    dataOf(await change("/api/redrives", { filter, cursor }));
    expect(await recorded()).toEqual([
      { at: expect.any(String), ...action, facts: { redriven: 11, skipped: 0, filter } },
    ]);
  });

  it("marks the chart of its definition", async () => {
    const clock = createManualClock();
    const backend = createMemoryBackend({ clock });
    const { read, operator } = createConsoleStage("observe", { backend, runtime: { clock } });
    await operator.pause("exports", { by: "bob" });
    await clock.advance(2 * 3_600_000);
    const resumed = new Date(clock.now()).toISOString();
    await operator.resume("exports", { by: "ann" });
    await operator.pause("imports");
    const marks = async (range: string) =>
      (await read<Sent<Series>>(`/api/series?definition=exports&range=${range}`)).marks;
    const mark = { at: resumed, action: "resume", definition: "exports", by: "ann", facts: {} };
    expect(await marks("hour")).toEqual([mark]);
    expect(await marks("day")).toMatchObject([mark, { action: "pause", by: "bob" }]);
  });
});

describe("the actions of a definition", () => {
  it("are the most recent ones, for everyone who may observe", async () => {
    const { read, operator } = createConsoleStage("observe");
    for (let count = 0; count < 6; count += 1) {
      await operator.pause("exports");
      await operator.resume("exports");
    }
    expect((await read<Actions>("/api/actions?definition=exports")).actions).toHaveLength(10);
  });

  it.each(["", "?definition=x"])("need a definition that exists, not %o", async (query) => {
    const { send } = createConsoleStage("observe");
    expect((await send({ path: `/api/actions${query}` })).status).toBe(400);
  });

  it("are empty if the back end keeps none", async () => {
    const { actions: _, ...backend } = createMemoryBackend();
    const { read, submit } = createConsoleStage("observe", { backend });
    const id = await submit("complete");
    expect(await read("/api/actions?definition=exports")).toEqual({ actions: [] });
    expect(await read(`/api/operations/${id}`)).toMatchObject({ actions: [] });
    expect(await read("/api/series?definition=exports")).not.toHaveProperty("marks");
  });
});

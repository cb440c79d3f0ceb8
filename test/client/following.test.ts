import { describe, expect, it } from "vitest";
import {
  accepted,
  book,
  completed,
  ID,
  later,
  leaveSoon,
  lost,
  pending,
  play,
  reply,
  type Step,
  times,
  watch,
} from "./scripted.js";

const status = `GET /operations/${ID}`;

/** A pending state with its tag, as a service that waits sends it. */
const waited: Step = () =>
  reply(200, { operationId: ID, status: "pending" }, { "preference-applied": "wait=25", etag: '"1"' });

const waits = (log: readonly string[]) => log.map((line) => line.split(" ")[3]);

/** Submits an order, and returns its result and the requests after its submission. */
async function resultAfter(...steps: readonly Step[]) {
  const { api, log } = play([accepted, ...steps]);
  const result = await (await api.orders.submit(book)).result();
  expect(log[0]).toBe("0.0 POST /orders");
  return { result, log: log.slice(1) };
}

describe("a result", () => {
  it("is waited for as long as the service allows, again and again", async () => {
    const { result, log } = await resultAfter(later(20, waited), later(25, waited), later(3, completed));
    expect(result).toBe("done");
    expect(log).toEqual(["0.0", "20.0", "45.0"].map((time) => `${time} ${status} wait=25`));
  });

  it("is waited for half as long after each request that was cut", async () => {
    const cut = later(10, lost);
    const { log } = await resultAfter(cut, cut, later(5, waited), later(1, completed));
    expect(log).toEqual([
      `0.0 ${status} wait=25`,
      `10.3 ${status} wait=12`,
      `20.8 ${status} wait=6`,
      `25.8 ${status} wait=6`,
    ]);
  });

  it("is waited for as long as before if the service was away for a moment", async () => {
    const { log } = await resultAfter(lost, () => reply(503), completed);
    expect(waits(log)).toEqual(["wait=25", "wait=25", "wait=25"]);
  });

  it("is polled after Retry-After if the service does not wait", async () => {
    const pollLater: Step = () => reply(200, { operationId: ID, status: "pending" }, { "retry-after": "4" });
    const { log } = await resultAfter(pollLater, pollLater, completed);
    expect(times(log)).toEqual(["0.0", "4.0", "8.0"]);
  });

  it("is polled with growing pauses if the browser hides Retry-After", async () => {
    const { log } = await resultAfter(pending, pending, pending, completed);
    expect(times(log)).toEqual(["0.0", "0.5", "1.5", "3.5"]);
  });

  it("is polled without a wait if every wait is cut", async () => {
    const { log } = await resultAfter(...Array<Step>(5).fill(later(2, lost)), pending, completed);
    const halved = ["wait=25", "wait=12", "wait=6", "wait=3", "wait=1"];
    expect(waits(log)).toEqual([...halved, undefined, undefined]);
  });

  it("is waited for beyond the time after which requests give up, as long as there are replies", async () => {
    expect((await resultAfter(...Array<Step>(20).fill(later(25, waited)), completed)).result).toBe("done");
  });

  it("is given up if the service is away for two minutes", async () => {
    await expect(resultAfter(waited, lost)).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  });

  it("is waited for while the status is one that the client does not know", async () => {
    expect(
      (await resultAfter(() => reply(200, { operationId: ID, status: "shipping" }), completed)).result,
    ).toBe("done");
  });

  it("is refused if the reply is not an operation", async () => {
    await expect(resultAfter(() => reply(200, { hello: "world" }))).rejects.toMatchObject({
      code: "INVALID_OPTION",
      detail: `The reply of http://localhost/operations/${ID} is not an operation. Check \`baseUrl\` and \`statusPath\`.`,
    });
  });

  it("is read once, because an end never changes", async () => {
    const { api, log } = play([accepted, completed]);
    const op = await api.orders.submit(book);
    expect([await op.result(), await op.result()]).toEqual(["done", "done"]);
    expect(log).toHaveLength(2);
  });
});

describe("an iteration", () => {
  const step = (percent: number, headers: Record<string, string>): Step => {
    return () => reply(200, { operationId: ID, status: "pending", progress: { percent } }, headers);
  };

  it("shows an unknown status as pending", async () => {
    const { api } = play([accepted, () => reply(200, { operationId: ID, status: "shipping" }), completed]);
    expect(await watch(await api.exports.submit({ accountId: "a" }))).toEqual(["pending", "completed"]);
  });

  it("asks for the next state with the tag of the last one", async () => {
    const applied = { "preference-applied": "wait=25" };
    const { api, log, sent } = play([
      accepted,
      step(1, { etag: '"1"' }),
      later(9, step(2, { etag: '"2"', ...applied })),
      later(20, () => reply(304, undefined, applied)),
      later(1, completed),
    ]);
    expect(await watch(await api.exports.submit({ accountId: "a" }))).toEqual([1, 2, "completed"]);
    expect(sent("if-none-match").slice(1)).toEqual([null, '"1"', '"2"', '"2"']);
    expect(log.slice(1)).toEqual([
      `0.0 ${status}`,
      `0.1 ${status} wait=25`,
      `9.1 ${status} wait=25`,
      `29.1 ${status} wait=25`,
    ]);
  });

  it("polls if the browser hides the tag, because a wait would last until the end", async () => {
    const { api, log } = play([accepted, step(1, {}), step(1, {}), step(2, {}), completed]);
    expect(await watch(await api.exports.submit({ accountId: "a" }))).toEqual([1, 2, "completed"]);
    expect(log.slice(1)).toEqual([`0.0 ${status}`, `0.5 ${status}`, `1.0 ${status}`, `2.0 ${status}`]);
  });

  it("sends at most ten requests a second, however often the state changes", async () => {
    const changes = Array.from({ length: 30 }, (_, index) =>
      step(index, { etag: `"${index}"`, "preference-applied": "wait=25" }),
    );
    const { api, log } = play([accepted, ...changes, completed]);
    for await (const _ of await api.exports.submit({ accountId: "a" }));
    expect(log.at(-1)).toBe(`3.0 ${status} wait=25`);
  });

  it("ends when the signal is aborted", async () => {
    const { api } = play([accepted, waited, later(25, waited)]);
    const op = await api.exports.submit({ accountId: "a" });
    await expect(watch(op.states({ signal: leaveSoon() }))).rejects.toThrow("The page was left.");
  });
});

describe("the options for TanStack Query", () => {
  it("are a plain object that reads the next state at each refetch, until the end", async () => {
    const { api, log } = play([accepted, waited, later(5, completed)]);
    const op = await api.orders.submit(book);
    const { queryFn, refetchInterval, ...rest } = op.queryOptions();
    expect(rest).toEqual({ queryKey: ["http://localhost/operations", "orders", ID], retry: false });
    const { signal } = new AbortController();
    const first = await queryFn({ signal });
    expect([first.status, refetchInterval({ state: { data: first } })]).toEqual(["pending", 1]);
    const second = await queryFn({ signal });
    expect([second.status, refetchInterval({ state: { data: second } })]).toEqual(["completed", false]);
    expect(await queryFn({ signal })).toEqual(second);
    expect(log).toHaveLength(3);
  });
});

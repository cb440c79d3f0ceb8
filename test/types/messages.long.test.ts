import { describe, expect, it } from "vitest";
import { compile } from "../support/compile.js";

/** Starts of programs with a mistake, and a part of the compiler's message. */
const MISTAKES = [
  [
    "a misspelled option of a processor",
    "createWorker(service, { orders: { run: () => {}, maxAttempt: 1 } });",
    "Did you mean to write 'maxAttempts'?",
  ],
  [
    "a transaction that the memory back end does not have",
    'void service.submit(orders, { itemId: "a", quantity: 1 }, { tenant: "a", tx: 1 });',
    "this back end shares no transactions with asynchronous functions",
  ],
  [
    "an input that JSON cannot represent",
    'defineOperation({ name: "a", path: "/a", input: z.object({ at: z.date() }) });',
    "'\"JSON cannot represent a Date, which the input schema accepts\"'",
  ],
] as const;

const START = `
import { allowAnonymous, createMemoryBackend, createService, createWorker, defineOperation, defineOrders } from "async-request-reply";
import * as z from "zod";
const orders = defineOrders();
const service = createService({ definitions: [orders], backend: createMemoryBackend(), authorize: allowAnonymous() });
createWorker(service, { orders: { run: ({ quantity }, { attempt }) => quantity + attempt, maxAttempts: 1 } });
createWorker(service, { orders: ({ quantity }, { attempt }) => quantity + attempt });
void service.submit(orders, { itemId: "a", quantity: 1 }, { tenant: "a" });
`;

describe("the compiler", () => {
  const errors = compile([
    { place: "no-mistake", info: ["ts"], text: START },
    ...MISTAKES.map(([place, mistake]) => ({ place, info: ["ts"], text: START + mistake })),
  ]);

  it.each(MISTAKES)("explains %s, and finds nothing else", (place, _, message) => {
    expect(errors.filter((error) => error.startsWith(place))).toEqual([expect.stringContaining(message)]);
    expect(errors.filter((error) => error.startsWith("no-mistake"))).toEqual([]);
  });
});

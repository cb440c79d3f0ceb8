import { describe } from "vitest";
import * as z from "zod";
import { testMistakes, untyped } from "../support/untyped.js";

const { createService, createWorker, defineOperation, createMemoryBackend, permanentFailure } = untyped;
const EXAMPLE = 'defineOperation({ name: "exports", path: "/exports", input: schema })';
const BACK_END = "a back end, such as `createPostgresBackend({ pool })` or `createMemoryBackend()`";
const OPTIONS = "The options of createWorker must be an object";
const TAKES = "createWorker() takes a service, or `{ backend, definitions }`, as its first argument";
const FUNCTION = "Option `processors.one` must be a function";
const noProcessor = (passed: string): string =>
  `\`processors\` of createWorker() has no processor: ${passed} was passed. ` +
  "Pass at least one, such as `{ one: async (input, job) => { … } }`.";
const input = z.object({});
const run = (): void => {};
const authorize = (): unknown => ({ id: "a" });
const one = defineOperation({ name: "one", path: "/one", input }) as object;
const two = defineOperation({ name: "two", path: "/two", input }) as object;
const service = createService({ authorize, definitions: [one, two], observe: false });
const work = (...args: readonly unknown[]): unknown => createWorker(service, ...args);

describe("a mistake in a worker says what is wrong, what is expected and what to do", () => {
  testMistakes([
    ["no service for a worker", `${TAKES}, not undefined.`, () => createWorker(undefined, { one: run })],
    ["definitions instead of a service", `${TAKES}, not a list.`, () => createWorker([one], { one: run })],
    [
      "a worker without a back end",
      `Option \`backend\` must be ${BACK_END}, not undefined.`,
      () => createWorker({ definitions: [one] }, { one: run }),
    ],
    [
      "a worker without definitions",
      `Option \`definitions\` is an empty list. Pass at least one definition: \`definitions: [${EXAMPLE}]\`.`,
      () => createWorker({ definitions: [], backend: createMemoryBackend() }, { one: run }),
    ],
    [
      "a problem base URI without an end",
      'Option `problemBaseUri` must be an absolute URI that ends with `/`, `#`, `:` or `=`, such as `https://example.com/problems/`, not "https://example.com".',
      () =>
        createWorker(
          { definitions: [one], backend: createMemoryBackend(), problemBaseUri: "https://example.com" },
          { one: run },
        ),
    ],
    ["no processors", noProcessor("undefined"), () => createWorker(service)],
    ["no processor", noProcessor("an object"), () => work({})],
    ["a processor alone", noProcessor("a function"), () => work(run)],
    [
      "a lease of a processor in seconds",
      "Option `processors.one.leaseMs` must be at least 100 milliseconds, not 30.",
      () => work({ one: { run, leaseMs: 30 } }),
    ],
    [
      "a misspelt processor",
      'Unknown definition "oen" in `processors`. Did you mean `one`? Known definitions: one, two.',
      () => work({ oen: run }),
    ],
    [
      "a processor of an unknown definition",
      'Unknown definition "invoices" in `processors`. Known definitions: one, two.',
      () => work({ invoices: run }),
    ],
    ["a processor that is not a function", `${FUNCTION}, not 1.`, () => work({ one: 1 })],
    [
      "a processor that is still being imported",
      `${FUNCTION}, not a promise that was not awaited. Await it, such as \`(await import(url)).default\`.`,
      () => work({ one: import("../support/untyped.js") }),
    ],
  ]);

  const options: readonly (readonly [mistake: string, message: string, options: unknown])[] = [
    ["a null for options", `${OPTIONS}, not null.`, null],
    ["options that are not awaited", `${OPTIONS}, not a promise that was not awaited.`, Promise.resolve({})],
    ["a lease in seconds", "Option `leaseMs` must be at least 100 milliseconds, not 30.", { leaseMs: 30 }],
    ["a backoff that is a number", "Option `backoff` must be an object, not 1000.", { backoff: 1000 }],
    [
      "a maximum delay below the first one",
      "Option `backoff.maxMs` must be at least `backoff.baseMs`, which is 1000, not 10.",
      { backoff: { maxMs: 10 } },
    ],
  ];
  testMistakes(
    options.map(([mistake, message, given]) => [mistake, message, () => work({ one: run }, given)]),
  );
});

describe("a permanent failure whose reason is not a text says what to pass", () => {
  const kinds: readonly (readonly [type: string, reason: unknown])[] = [
    ["object", {}],
    ["object", new Error("The pool is exhausted.")],
    ["undefined", undefined],
  ];
  testMistakes(
    kinds.map(([type, reason]) => [
      `${reason}`,
      `The \`reason\` of permanentFailure must be a text that clients may read, not of type ${type}. ` +
        'Pass an error as its cause: `permanentFailure("Sold out.", error)`.',
      () => permanentFailure(reason),
    ]),
  );
});

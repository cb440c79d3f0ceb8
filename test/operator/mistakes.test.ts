import { createMemoryBackend, createService, isAsyncReplyError } from "async-request-reply";
import * as operatorModule from "async-request-reply/operator";
import { problemType } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import { exportsOf, importsOf } from "../support/operator/stage.js";
import { refusalOf, withSortedOptions } from "../support/refusal.js";

type Untyped = (...args: readonly unknown[]) => unknown;

/** Untyped, because JavaScript callers can pass anything. */
const createOperator = operatorModule.createOperator as unknown as Untyped;
const backend = createMemoryBackend();
const definitions = [exportsOf, importsOf];
const operator = createOperator({ backend, definitions }) as Readonly<
  Record<"list" | "get" | "failures" | "cancel" | "redrive" | "pause" | "resume", Untyped>
>;

const FILTERS = "definition, tenant, principal, errorType, message, createdFrom, createdBefore, internal";

const creations: Readonly<Record<string, readonly [message: string, options: unknown]>> = {
  "no options": ["The options of createOperator must be an object, not undefined.", undefined],
  "a service": [
    "createOperator() takes options, not a service. Pass the back end and the definitions of the service: " +
      "`createOperator({ backend: service.backend, definitions: service.definitions })`.",
    createService({ backend, definitions, observe: false }),
  ],
  "an unknown option": [
    "Unknown option `operations` of createOperator. Known options: backend, definitions, runtime, observe.",
    { backend, definitions, operations: definitions },
  ],
  "no back end": [
    "Option `backend` must be a back end, such as `createPostgresBackend({ pool })` or `createMemoryBackend()`, not undefined.",
    { definitions },
  ],
  "no definitions": [
    "Option `definitions` is an empty list. Pass at least one definition: `definitions: [defineOperation({ name: " +
      '"exports", path: "/exports", input: schema })]`.',
    { backend, definitions: [] },
  ],
  "an observer that is not a function": [
    "Option `observe` must be a function, or `false` for silence, not an object.",
    { backend, definitions, observe: {} },
  ],
};

const calls: Readonly<Record<string, readonly [message: string, call: () => unknown]>> = {
  "a misspelt member of a list's filter": [
    "Unknown option `tennant` of operator.list. Did you mean `tenant`?",
    () => operator.list({ tennant: "a" }),
  ],
  "a misspelt definition": [
    'Unknown definition "export". Did you mean `exports`? Known definitions: exports, imports.',
    () => operator.list({ definition: "export" }),
  ],
  "a definition instead of its name": [
    "Option `definition` must be the name of a definition, not an object.",
    () => operator.list({ definition: exportsOf }),
  ],
  "an unknown status": [
    'Option `status` must be one of preparing, pending, completed, failed, not "done".',
    () => operator.list({ status: "done" }),
  ],
  "a type of error for operations that have not failed": [
    'The filter `errorType` is only for failed operations. Remove it, or `status: "pending"`.',
    () => operator.list({ status: "pending", errorType: "cancelled" }),
  ],
  "a message for operations that have not failed": [
    'The filter `message` is only for failed operations. Remove it, or `status: "completed"`.',
    () => operator.list({ status: "completed", message: "broken" }),
  ],
  "a message that is not a text": [
    "Option `message` must be the message of a failure, not 7.",
    () => operator.redrive({ message: 7 }),
  ],
  "too many groups of failures": [
    "Option `limit` must be at most 1000, not 1001.",
    () => operator.failures({ limit: 1_001 }),
  ],
  "a member that groups of failures do not have": [
    `Unknown option \`status\` of operator.failures. Known options: ${FILTERS}, redriven, limit.`,
    () => operator.failures({ status: "failed" }),
  ],
  "a misspelt problem type": [
    'Unknown problem type "work-faild". Did you mean `work-failed`?',
    () => operator.list({ errorType: "work-faild" }),
  ],
  "a problem type that is not a string": [
    "Option `errorType` must be the name of a problem type, such as `attempts-exhausted`, not 7.",
    () => operator.list({ errorType: 7 }),
  ],
  "the URI of a problem type": [
    'Unknown problem type "https://www.npmjs.com/package/async-request-reply#cancelled". Did you mean `cancelled`?',
    () => operator.list({ errorType: problemType("cancelled") }),
  ],
  "milliseconds instead of a date": [
    "Option `createdFrom` must be a valid Date, not 1700000000000.",
    () => operator.list({ createdFrom: 1_700_000_000_000 }),
  ],
  "a text instead of a date": [
    'Option `createdFrom` must be a valid Date, not "2026-01-01T00:00:00Z".',
    () => operator.redrive({ createdFrom: "2026-01-01T00:00:00Z" }),
  ],
  "a date that does not exist": [
    'Option `createdBefore` must be a valid Date, not "Invalid Date".',
    () => operator.redrive({ createdBefore: new Date("yesterday") }),
  ],
  "a tenant that stores do not accept": [
    "Option `tenant` has 0 characters. A tenant is a string of 1 to 255 UTF-16 code units, well formed and without NUL.",
    () => operator.list({ tenant: "" }),
  ],
  "a page that is too large": [
    "Option `limit` must be at most 1000; use `cursor` to read more, not 1001.",
    () => operator.list({ limit: 1_001 }),
  ],
  "an empty page": [
    "Option `limit` must be a whole number greater than 0, not 0.",
    () => operator.list({ limit: 0 }),
  ],
  ...Object.fromEntries(
    ["1700", "1700 orders", "1e3 01900000-0000-7000-8000-000000000000"].map((text) => [
      `a cursor made up from ${text}`,
      [
        `Option \`cursor\` must be the \`cursor\` of an earlier result, unchanged, not "${btoa(text)}".`,
        () => operator.list({ cursor: btoa(text) }),
      ],
    ]),
  ),
  "a cursor that is not base64": [
    'Option `cursor` must be the `cursor` of an earlier result, unchanged, not "%".',
    () => operator.redrive({ tenant: "a" }, { cursor: "%" }),
  ],
  "a cursor that is not a string": [
    "Option `cursor` must be the `cursor` of an earlier result, unchanged, not 7.",
    () => operator.list({ cursor: 7 }),
  ],
  "the name that the port has for a status": [
    "Unknown option `state` of operator.list. Did you mean `status`?",
    () => operator.list({ state: "failed" }),
  ],
  "an id that is a promise": [
    "Expected the id of an operation, not a promise that was not awaited. Pass the `operationId` from a list.",
    () => operator.get(Promise.resolve("1")),
  ],
  "a promise to redrive": [
    "The options of operator.redrive must be an object, not a promise that was not awaited.",
    () => operator.redrive(Promise.resolve("1")),
  ],
  "a string for a switch": [
    'Option `internal` must be true or false, not "yes".',
    () => operator.list({ internal: "yes" }),
  ],
  "no id to read": [
    "Expected the id of an operation, not undefined. Pass the `operationId` from a list.",
    () => operator.get(),
  ],
  "an object to cancel": [
    "Expected the id of an operation, not an object. Pass the `operationId` from a list.",
    () => operator.cancel({ id: "1" }),
  ],
  "nothing to redrive": [
    "Option `filter` must be the id of an operation, or a filter such as `{ definition }`, not undefined.",
    () => operator.redrive(),
  ],
  "a filter that matches everything": [
    "The filter of operator.redrive is empty, which would run every failed operation again. Pass at least one of " +
      "definition, tenant, principal, errorType, message, createdFrom and createdBefore.",
    () => operator.redrive({ internal: true, tenant: undefined }),
  ],
  "a member that only lists have": [
    `Unknown option \`status\` of operator.redrive. Known options: ${FILTERS}.`,
    () => operator.redrive({ status: "failed" }),
  ],
  "an unknown option of a redrive": [
    "Unknown option `dryrun` of operator.redrive. Did you mean `dryRun`?",
    () => operator.redrive({ tenant: "a" }, { dryrun: true }),
  ],
  "a string for a dry run": [
    'Option `dryRun` must be true or false, not "no".',
    () => operator.redrive({ tenant: "a" }, { dryRun: "no" }),
  ],
  "a rate of 0": [
    "Option `perSecond` must be a number greater than 0, not 0.",
    () => operator.redrive({ tenant: "a" }, { perSecond: 0 }),
  ],
  "a limit that is too large": [
    "Option `limit` must be at most 10000; use `cursor` to continue, not 10001.",
    () => operator.redrive({ tenant: "a" }, { limit: 10_001 }),
  ],
  "a pause of an unknown definition": [
    'Unknown definition "export". Did you mean `exports`? Known definitions: exports, imports.',
    () => operator.pause("export"),
  ],
  "a resumption of an unknown definition": [
    'Unknown definition "invoices". Known definitions: exports, imports.',
    () => operator.resume("invoices"),
  ],
  "a pause of a definition object": [
    "Option `definition` must be the name of a definition, not an object.",
    () => operator.pause(exportsOf),
  ],
  "a person instead of options of a pause": [
    'The options of operator.pause must be an object, not "ann".',
    () => operator.pause("exports", "ann"),
  ],
  "an empty name of who pauses": [
    "Option `by` has 0 characters. Pass 1 to 255 UTF-16 code units, well formed and without NUL.",
    () => operator.pause("exports", { by: "" }),
  ],
  "a controller instead of its signal": [
    "Option `signal` must be an AbortSignal, not an object.",
    () => operator.redrive({ tenant: "a" }, { signal: new AbortController() }),
  ],
};

describe("a mistake says what to do", () => {
  it.each(Object.entries(creations))("at creation: %s", (_, [message, options]) => {
    const { code, detail } = refusalOf(() => createOperator(options));
    expect(code).toBe("INVALID_OPTION");
    expect(withSortedOptions(detail)).toBe(withSortedOptions(message));
  });

  it.each(Object.entries(calls))("when called: %s", async (_, [message, call]) => {
    const error: unknown = await Promise.resolve(call()).catch((reason: unknown) => reason);
    if (!isAsyncReplyError(error)) throw new Error("nothing was refused");
    expect(error.code).toBe("INVALID_OPTION");
    expect(withSortedOptions(error.detail)).toBe(withSortedOptions(message));
  });
});

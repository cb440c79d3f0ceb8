import { describe } from "vitest";
import * as z from "zod";
import { testMistakes, untyped } from "../support/untyped.js";

const { createService, defineOperation, toNodeHandler, toExpressHandler, toFetchHandler, toLambdaHandler } =
  untyped;
const SERVICE = "Pass the return value of createService() or createOrderService().";
const input = z.object({});
const run = (): void => {};
const authorize = (): unknown => ({ id: "a" });
const one = defineOperation({ name: "one", path: "/one", input }) as object;
const two = defineOperation({ name: "two", path: "/two", input }) as object;
const service = createService({ authorize, definitions: [one, two], observe: false });

describe("the error of a mounting mistake says what is wrong and what is expected", () => {
  testMistakes([
    [
      "no service for Node",
      `toNodeHandler() takes a service, not undefined. ${SERVICE}`,
      () => toNodeHandler(undefined),
    ],
    [
      "a function for Express",
      `toExpressHandler() takes a service, not a function. ${SERVICE}`,
      () => toExpressHandler(run),
    ],
    [
      "a promise for Fetch",
      `toFetchHandler() takes a service, not a promise that was not awaited. ${SERVICE}`,
      () => toFetchHandler(Promise.resolve(service)),
    ],
    ["a number for Lambda", `toLambdaHandler() takes a service, not 5. ${SERVICE}`, () => toLambdaHandler(5)],
  ]);
});

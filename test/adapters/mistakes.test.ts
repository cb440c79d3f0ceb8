import { describe } from "vitest";
import * as z from "zod";
import { testMistakes, untyped } from "../untyped.js";

const { createService, defineOperation, toNodeHandler, toExpressHandler, toFetchHandler } = untyped;
const SERVICE = "Pass the return value of createService() or createOrderService().";
const input = z.object({});
const run = (): void => {};
const authorize = (): unknown => ({ id: "a" });
const one = defineOperation({ name: "one", path: "/one", input }) as object;
const two = defineOperation({ name: "two", path: "/two", input }) as object;
const service = createService({ authorize, definitions: [one, two], observe: false });

describe("a mistake in mounting a service says what is wrong, what is expected and what to do", () => {
  testMistakes([
    [
      "a service without settings for node",
      `toNodeHandler() takes a service, not undefined. ${SERVICE}`,
      () => toNodeHandler(undefined),
    ],
    [
      "a function for express",
      `toExpressHandler() takes a service, not a function. ${SERVICE}`,
      () => toExpressHandler(run),
    ],
    [
      "a promise for fetch",
      `toFetchHandler() takes a service, not an object. ${SERVICE}`,
      () => toFetchHandler(Promise.resolve(service)),
    ],
  ]);
});

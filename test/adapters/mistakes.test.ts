import { describe } from "vitest";
import * as z from "zod";
import { testMistakes, untyped } from "../support/untyped.js";

const { createService, defineOperation } = untyped;
const input = z.object({});
const authorize = (): unknown => ({ id: "a" });
const one = defineOperation({ name: "one", path: "/one", input });
const two = defineOperation({ name: "two", path: "/two", input });
const service = createService({ authorize, definitions: [one, two], observe: false });

describe("the error of a mounting mistake says what is wrong and what is expected", () => {
  const mounted = [
    ["no service for Node", "toNodeHandler", undefined, "undefined"],
    ["a function for Express", "toExpressHandler", authorize, "a function"],
    ["a promise for Fetch", "toFetchHandler", Promise.resolve(service), "a promise that was not awaited"],
    ["a number for Lambda", "toLambdaHandler", 5, "5"],
  ] as const;
  testMistakes(
    mounted.map(([mistake, mount, given, shown]) => [
      mistake,
      `${mount}() takes a service, not ${shown}. Pass the return value of createService() or createOrderService().`,
      () => untyped[mount](given),
    ]),
  );
});

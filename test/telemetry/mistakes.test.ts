import { describe } from "vitest";
import { testMistakes, untyped } from "../support/untyped.js";

const { startTelemetry } = untyped;
const api = { trace: {}, context: {}, metrics: {} };
const API =
  'Option `api` must be the module `@opentelemetry/api`: `import * as api from "@opentelemetry/api"`';

describe("a mistake in the options of startTelemetry throws", () => {
  testMistakes([
    ["no options", "The options of startTelemetry must be an object, not undefined.", () => startTelemetry()],
    ["no module", `${API}, not undefined.`, () => startTelemetry({})],
    ["a part of the module", `${API}, not an object.`, () => startTelemetry({ api: { trace: {} } })],
    [
      "an unknown relation",
      'Option `relation` must be `link` or `parent`, not "child".',
      () => startTelemetry({ api, relation: "child" }),
    ],
    [
      "a back end instead of an operator",
      "Option `operator` must be the return value of `createOperator`, not an object.",
      () => startTelemetry({ api, operator: { operations: {} } }),
    ],
    [
      "a worker instead of a service",
      "Option `service` must be the return value of `createService`, not an object.",
      () => startTelemetry({ api, service: { start: () => {} } }),
    ],
  ]);
});

import { createMemoryBackend } from "async-request-reply";
import { describe } from "vitest";
import { adapterCases } from "../support/adapter-suite/cases.js";
import { declareAdapterCases } from "../support/adapter-suite/declare-cases.js";
import { createLambdaHarness, isUnfinished, lambdaFronts } from "../support/lambda-harness.js";

describe("the Lambda adapter behind a function URL", () => {
  const harness = createLambdaHarness(createMemoryBackend, lambdaFronts["a function URL"]);
  declareAdapterCases(
    harness,
    adapterCases.filter((each) => !isUnfinished(each)),
  );
});

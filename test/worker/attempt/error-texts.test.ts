import { createMemoryBackend } from "async-request-reply";
import { describe } from "vitest";
import { declareErrorTexts } from "../../support/error-texts.js";

describe("an error of a processor", () => {
  declareErrorTexts(() => createMemoryBackend());
});

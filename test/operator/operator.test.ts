import { createMemoryBackend } from "async-request-reply";
import { readingScenarios } from "./reading.js";
import { redrivingScenarios } from "./redriving.js";
import { redrivingManyScenarios } from "./redriving-many.js";
import { declareScenarios } from "./scenarios.js";

const scenarios = [...readingScenarios, ...redrivingScenarios, ...redrivingManyScenarios];
declareScenarios("an operator, on memory", scenarios, () => createMemoryBackend());

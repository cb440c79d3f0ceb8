import { createMemoryBackend } from "async-request-reply";
import * as consoleModule from "async-request-reply/console";
import { createOperator } from "async-request-reply/operator";
import { describe } from "vitest";
import { exportsOf } from "../support/operator/stage.js";
import { type Mistake, testMistakes } from "../support/untyped.js";

type Untyped = (...args: readonly unknown[]) => unknown;

/** Untyped, because JavaScript callers can pass anything. */
const { createConsole } = consoleModule as unknown as Readonly<Record<keyof typeof consoleModule, Untyped>>;
const operator = createOperator({ backend: createMemoryBackend(), definitions: [exportsOf], observe: false });
const authorize = (): string => "observe";

const mistakes: readonly Mistake[] = [
  ["no options", "The options of createConsole must be an object, not undefined.", () => createConsole()],
  [
    "an unknown option of createConsole",
    "Unknown option `authorise` of createConsole. Did you mean `authorize`?",
    () => createConsole({ operator, authorise: authorize }),
  ],
  [
    "a back end as operator",
    "Option `operator` must be the return value of createOperator(), not an object.",
    () => createConsole({ operator: createMemoryBackend(), authorize }),
  ],
  [
    "no `authorize`",
    "Option `authorize` must be a function, not undefined.",
    () => createConsole({ operator }),
  ],
  ...["https://jaeger.example/", "javascript:alert('{traceId}')", "/trace/{traceId}"].map(
    (traceUrl): Mistake => [
      `the template of a trace ${traceUrl}`,
      `Option \`traceUrl\` must be an http or https URL with \`{traceId}\`, such as "https://jaeger.example/trace/{traceId}", not "${traceUrl}".`,
      () => createConsole({ operator, authorize, traceUrl }),
    ],
  ),
  [
    "an observer that is not a function",
    "Option `observe` must be a function, or `false` for silence, not an object.",
    () => createConsole({ operator, authorize, observe: {} }),
  ],
];

describe("a mistake in the options of a console says what to pass", () => {
  testMistakes(mistakes);
});

import { AsyncReplyError, type ErrorCode, type ProblemName } from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import { PROBLEM_NAMES } from "../../src/contract/problem.js";
import { toProblem } from "../../src/http/message/problems.js";
import { page } from "../support/pages.js";
import { idsOf } from "./links.js";

const names = PROBLEM_NAMES as readonly ProblemName[];

/** Problem types of operations. Replies have all others. */
const OF_OPERATIONS: readonly ProblemName[] = [
  "work-failed",
  "attempts-exhausted",
  "invalid-result",
  "output-too-large",
  "input-refused",
  "cancelled",
  "expired",
  "abandoned",
];

/** An error code that leads to each problem type that is not called like it. */
const CODES: Partial<Record<ProblemName, ErrorCode>> = {
  "malformed-request": "INVALID_HEADER",
  unavailable: "SUBMISSION_UNCERTAIN",
};

/** Returns what the pages show as the status: a number, or `error` for errors of operations. */
function statusOf(name: ProblemName): string {
  if (OF_OPERATIONS.includes(name)) return "`error`";
  const code = CODES[name] ?? (name.toUpperCase().replaceAll("-", "_") as ErrorCode);
  const { status, body } = toProblem(new AsyncReplyError(code, ""));
  expect(body.type).toBe(problemType(name));
  return String(status);
}

describe("the problem types", () => {
  it("have each an anchor in the README, to which their URIs lead, and no other is there", () => {
    expect(idsOf(page("README.md")).sort()).toEqual([...names].sort());
  });

  it("lead from the README to the page that explains them", () => {
    const links = [...page("README.md").text.matchAll(/<a id="([^"]+)"><\/a>\[([^\]]+)\]\(([^)]+)\)/g)];
    const expected = names.map((name) => [name, name, `docs/problems.md#${name}`]);
    expect(links.map((match) => match.slice(1)).sort()).toEqual(expected.sort());
  });

  it("have each a section in docs/problems.md with their status", () => {
    const sections = [
      ...page("docs/problems.md").text.matchAll(/^### `(\S+)`\n\n(?:Status (\d+)|In (`error`))/gm),
    ];
    expect(sections.map(([, name, status, place]) => [name, status ?? place])).toEqual(
      names.map((name) => [name, statusOf(name)]),
    );
  });
});

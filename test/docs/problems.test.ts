import { AsyncReplyError, type ErrorCode, type ProblemName } from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import { toProblem } from "../../src/http/message/problems.js";
import { page } from "../support/pages.js";
import { idsOf } from "./links.js";

/** Every problem type and an error code that leads to it. Undefined for errors of operations. */
const CODES: Readonly<Record<ProblemName, ErrorCode | undefined>> = {
  "malformed-request": "INVALID_HEADER",
  "too-many-header-fields": "TOO_MANY_HEADER_FIELDS",
  "invalid-idempotency-key": "INVALID_IDEMPOTENCY_KEY",
  "missing-idempotency-key": "MISSING_IDEMPOTENCY_KEY",
  "idempotency-key-reused": "IDEMPOTENCY_KEY_REUSED",
  unauthenticated: "UNAUTHENTICATED",
  forbidden: "FORBIDDEN",
  "authorization-unavailable": "AUTHORIZATION_UNAVAILABLE",
  "too-many-requests": "TOO_MANY_REQUESTS",
  "too-many-pending": "TOO_MANY_PENDING",
  "backlog-full": "BACKLOG_FULL",
  "not-found": "NOT_FOUND",
  "method-not-allowed": "METHOD_NOT_ALLOWED",
  "unsupported-media-type": "UNSUPPORTED_MEDIA_TYPE",
  "unsupported-content-coding": "UNSUPPORTED_CONTENT_CODING",
  "not-acceptable": "NOT_ACCEPTABLE",
  "body-too-large": "BODY_TOO_LARGE",
  "body-timeout": "BODY_TIMEOUT",
  "malformed-body": "MALFORMED_BODY",
  "contract-violation": "CONTRACT_VIOLATION",
  "submission-in-progress": "SUBMISSION_IN_PROGRESS",
  "creation-in-progress": "CREATION_IN_PROGRESS",
  "creation-failed": "CREATION_FAILED",
  unavailable: "SUBMISSION_UNCERTAIN",
  internal: "INTERNAL",
  "not-configured": "NOT_CONFIGURED",
  "work-failed": undefined,
  "attempts-exhausted": undefined,
  "invalid-result": undefined,
  "input-refused": undefined,
  cancelled: undefined,
  expired: undefined,
  abandoned: undefined,
};

const names = Object.keys(CODES) as ProblemName[];

/** Returns what the pages show as the status: a number, or `error` for errors of operations. */
function statusOf(name: ProblemName): string {
  const code = CODES[name];
  if (code === undefined) return "`error`";
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

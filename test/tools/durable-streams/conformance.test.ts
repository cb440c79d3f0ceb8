import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { execute } from "../installed.js";
import { startShim } from "./shim.js";

const modules = join(import.meta.dirname, "../node_modules");
const isMissing = !existsSync(join(modules, "@durable-streams"));

/** Groups of tests that do not run, and the reasons. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  TTL: "is about writing: the lifetime of streams",
  Fork: "is about writing: streams that begin as copies",
  "Idempotent Producer": "is about writing: repeated appends",
  "Sequence Ordering": "is about writing: the order of appends",
  "Concurrent Writer": "is about writing: several writers at once",
  subscription: "is about another part of the protocol, which this server does not speak",
};

/** Tests that fail, by the reasons. */
const FAILING: Readonly<Record<string, readonly string[]>> = {
  "They are about writing, which the shim only does as far as reading needs it.": [
    "Basic Stream Operations should reject create with different config (409)",
    "Append Operations should enforce sequence ordering with seq",
    "HTTP Protocol should return correct headers on PUT",
    "HTTP Protocol should return 409 on PUT with different config",
    "HTTP Protocol should return 409 on content-type mismatch",
    "HTTP Protocol should enforce sequence ordering",
    'HTTP Protocol should enforce lexicographic seq ordering ("2" then "10" rejects)',
    "HTTP Protocol should reject duplicate seq values",
    "Content-Type Validation should enforce content-type match on append",
    "Protocol Edge Cases should reject empty POST body with 400",
    "Protocol Edge Cases should enforce case-sensitive seq ordering",
    "Protocol Edge Cases should return Location header on 201",
    "Protocol Edge Cases should reject missing Content-Type on POST",
    "JSON Mode should reject POST with empty array body",
    "JSON Mode should reject empty JSON arrays with 400",
    "Stream Closure Close Operations append-to-closed-stream-409: Append to closed stream returns 409 with Stream-Closed: true header",
    "Stream Closure Close Operations append-and-close-to-closed-stream-409: POST with body + Stream-Closed: true to already-closed stream returns 409",
    "Stream Closure Edge Cases 409-includes-stream-offset: 409 for closed stream includes Stream-Next-Offset header",
    "Stream Closure Edge Cases producer-state-survives-close: Stale-epoch producer gets 403, not 409 STREAM_CLOSED",
    "Stream Closure Edge Cases close-with-different-body-dedup: Retry close with different body deduplicates to original",
    "Stream Closure Edge Cases empty-post-without-stream-closed-400: POST with empty body but no Stream-Closed returns 400",
  ],
  "They expect events of text or bytes. An output is always JSON.": [
    "SSE Mode base64 SSE catch-up pairs every data event with a control event",
    "SSE Mode should handle newlines in text/plain payloads",
    "SSE Mode should prevent CRLF injection in payloads - embedded event boundaries become literal data",
    "SSE Mode should auto-detect binary streams and return base64 encoded data in SSE mode",
    "SSE Mode should include Stream-SSE-Data-Encoding header for binary streams",
    "SSE Mode should handle large binary payload with auto-detected base64 encoding",
    "SSE Mode should handle binary data with special bytes using auto-detected base64 encoding",
    "SSE Mode should auto-detect base64 encoding for application/x-protobuf streams",
    "SSE Mode should auto-detect base64 encoding for image/png streams",
  ],
  "They are about other origins, which are the matter of the program that mounts the service.": [
    "Browser Security Headers should include Cross-Origin-Resource-Policy header on GET responses",
    "Caching and ETag should allow If-None-Match in CORS preflight responses",
  ],
};

interface Result {
  readonly fullName: string;
  readonly status: "passed" | "failed" | "skipped";
}

/** Runs the tests of the protocol in another process, because they bring their test runner. */
async function runSuite(baseUrl: string): Promise<readonly Result[]> {
  const folder = mkdtempSync(join(tmpdir(), "durable-streams-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const report = join(folder, "report.json");
  const chosen = `^(?!.*(${Object.keys(LEFT_OUT).join("|")}))`;
  await execute(
    join(modules, ".bin/vitest"),
    ["run", "--root", import.meta.dirname, "--reporter=json", "--outputFile", report, "-t", chosen],
    { cwd: import.meta.dirname, env: { ...process.env, CONFORMANCE_TEST_URL: baseUrl } },
  );
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as {
    readonly testResults: readonly { readonly assertionResults: readonly Result[] }[];
  };
  return testResults.flatMap(({ assertionResults }) => assertionResults);
}

describe.skipIf(isMissing && !process.env.CI)("the tests of the Durable Streams protocol for servers", () => {
  it("pass, but for those that are not about reading an output", { timeout: 300_000 }, async () => {
    const results = await runSuite(await startShim());
    const named = (wanted: Result["status"]) =>
      results.filter(({ status }) => status === wanted).map(({ fullName }) => fullName);
    expect(named("failed").toSorted()).toEqual(Object.values(FAILING).flat().toSorted());
    const groups = Object.keys(LEFT_OUT);
    expect(named("skipped").filter((name) => !groups.some((group) => name.includes(group)))).toEqual([]);
    expect(named("passed").length).toBeGreaterThan(110);
  });
});

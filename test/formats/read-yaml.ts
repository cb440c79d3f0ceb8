import { yamlFormat } from "async-request-reply/yaml";
import { expect } from "vitest";
import { refusalOf } from "../support/refusal.js";

/** The detail for a body that js-yaml rejects. */
export const INVALID = /^The body is not valid YAML \(line \d+, column \d+\)\.$/;

export function readYaml(body: string | Uint8Array, maxDepth = 32): unknown {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return yamlFormat.parse(bytes, { limits: { maxDepth }, name: "orders", schema: undefined });
}

/** Returns the detail with which a YAML body is rejected as malformed. */
export function refusalOfYaml(body: string | Uint8Array, maxDepth?: number): string {
  const { code, detail } = refusalOf(() => readYaml(body, maxDepth));
  expect(code).toBe("MALFORMED_BODY");
  return detail;
}

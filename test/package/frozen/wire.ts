import type { OpenApiDocument } from "async-request-reply/openapi";
import { PROBLEM_NAMES } from "../../../src/contract/problem.js";
import { documentOf } from "../../support/openapi-services.js";

/** Services that have every request and every reply. */
const SERVICES = ["all options at once", "orders that are created before the reply"];

/** Members that say something to people. They may change at any time. */
const FOR_PEOPLE = new Set(["description", "summary", "examples", "example", "info"]);

/**
 * Returns what clients can see, with one line for each path and each part of the documents of services, without their prose. Each problem type
 * is a line too.
 */
export function wire(): string {
  const problems = PROBLEM_NAMES.map((name) => `problem ${name}`);
  return `${[...problems, ...SERVICES.flatMap((name) => linesOf(name, documentOf(name)))].join("\n")}\n`;
}

function linesOf(service: string, { paths, components, webhooks }: OpenApiDocument): string[] {
  const parts = { paths, webhooks, ...components };
  return Object.entries(parts).flatMap(([kind, members]) =>
    Object.entries(members ?? {}).map(
      ([name, part]) => `${service}: ${kind} ${name} ${JSON.stringify(withoutProse(part))}`,
    ),
  );
}

function withoutProse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutProse);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !FOR_PEOPLE.has(name));
  return Object.fromEntries(members.map(([name, member]) => [name, withoutProse(member)]));
}

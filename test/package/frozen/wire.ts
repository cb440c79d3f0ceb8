import { PROBLEM_NAMES } from "../../../src/contract/problem.js";
import { documentOf, services } from "../../support/openapi-services.js";

/** Members that say something to people. They may change at any time. */
const FOR_PEOPLE = new Set(["description", "summary", "examples", "example", "info"]);

/** Returns what clients can see: the problem types, and the documents of services with every option, without their prose. */
export function wire(): string {
  const documents = Object.keys(services).map((name) => [name, withoutProse(documentOf(name))]);
  return `${JSON.stringify({ problemTypes: PROBLEM_NAMES, documents: Object.fromEntries(documents) }, null, 1)}\n`;
}

function withoutProse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutProse);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !FOR_PEOPLE.has(name));
  return Object.fromEntries(members.map(([name, member]) => [name, withoutProse(member)]));
}

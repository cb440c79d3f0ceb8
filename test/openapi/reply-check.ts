import type { PathItem, PathOperation } from "async-request-reply/openapi";
import type { WireRequest, WireResponse } from "../../src/testing/suites/adapter/adapter-case.js";
import { checkAccepted } from "./accepted-request.js";
import { factsOfFields, factsOfReplies, factsOfReply } from "./described-reply.js";
import { type DocumentReader, readDocument } from "./document-reader.js";
import type { CheckReply } from "./documented-harness.js";
import { documentOf } from "./services.js";

/** Replies that no document can describe, and why. */
export const UNDESCRIBED = {
  "404 at a path that the document does not have": "it would have to list what is not there",
  "405 to a method that the path does not have": "it would have to list what is not there",
  "204 to OPTIONS": "it says what the document says",
  "a reply to HEAD": "it is the reply to GET without the body (RFC 9110 §9.3.2), and that is described",
} as const;

type Undescribed = keyof typeof UNDESCRIBED;

/** What documents say of replies, and what replies have shown of it. */
export interface Coverage {
  readonly possible: ReadonlySet<string>;
  readonly shown: ReadonlySet<string>;
  readonly undescribed: ReadonlySet<Undescribed>;
}

/** Makes a check that compares replies with documents, and remembers what both have said. */
export function createReplyCheck(): { readonly check: CheckReply; readonly coverage: Coverage } {
  const possible = new Set<string>();
  const shown = new Set<string>();
  const undescribed = new Set<Undescribed>();
  const readers = new Map<string, DocumentReader>();
  const check: CheckReply = (document, request, reply) => {
    const text = JSON.stringify(document);
    const reader = readers.get(text) ?? readDocument(document);
    readers.set(text, reader);
    const [path = ""] = request.path.split("?", 1);
    const item = reader.pathItem(path);
    const operation = operationOf(item, request.method);
    if (operation === undefined) {
      undescribed.add(checkUndescribed(reader, item, request, reply));
      return;
    }
    const said = factsOfReplies(reader, operation);
    const seen = factsOfReply(reader, operation, reply);
    refuseUnknown(seen, said);
    checkAccepted(reader, operation, request, reply);
    for (const fact of said) possible.add(common(fact));
    for (const fact of seen) shown.add(common(fact));
  };
  return { check, coverage: { possible, shown, undescribed } };
}

/** What is shown of one definition, of one way to read, or with one base of problem types, is shown of all. */
function common(fact: string): string {
  return fact
    .replace(/^submit\w+/, "submit")
    .replace(/^listOperations (?=[45])/, "getOperation ")
    .replace(/ is "https:[^"]*[#/]/, ' is "');
}

function operationOf(item: PathItem | undefined, method: string): PathOperation | undefined {
  if (method === "POST") return item?.post;
  if (method === "DELETE") return item?.delete;
  return method === "GET" ? item?.get : undefined;
}

function refuseUnknown(seen: readonly string[], said: readonly string[]): void {
  const unknown = seen.filter((fact) => !said.includes(fact));
  if (unknown.length > 0) throw new Error(`not in the document: ${unknown.join(", ")}`);
}

function checkUndescribed(
  reader: DocumentReader,
  item: PathItem | undefined,
  { method }: WireRequest,
  reply: WireResponse,
): Undescribed {
  if (item === undefined) {
    checkProblem(reply, 404, "NotFoundProblem", method);
    return "404 at a path that the document does not have";
  }
  if (method === "OPTIONS") {
    if (reply.status !== 204 || reply.body !== "")
      throw new Error(`OPTIONS was answered with ${reply.status}`);
    return "204 to OPTIONS";
  }
  if (method === "HEAD" && item.get !== undefined) {
    checkHead(reader, item.get, reply);
    return "a reply to HEAD";
  }
  checkProblem(reply, 405, "MethodNotAllowedProblem", method);
  return "405 to a method that the path does not have";
}

/** The fields are those of GET; there is no body. */
function checkHead(reader: DocumentReader, get: PathOperation, reply: WireResponse): void {
  const at = `${get.operationId} ${reply.status}`;
  const response = get.responses[reply.status];
  if (response === undefined || reply.body !== "")
    throw new Error(`HEAD was answered with ${at}: ${reply.body}`);
  refuseUnknown(factsOfFields(reader, response, reply, at), factsOfReplies(reader, get));
}

/** A document that has the problems of 404 and 405, whatever those of the services under test have. */
const complete: DocumentReader = readDocument(documentOf("all options at once"));

function checkProblem(
  { status, headers, body }: WireResponse,
  expected: number,
  schema: string,
  method: string,
): void {
  const isProblem =
    headers.some(([name, value]) => name === "content-type" && value === "application/problem+json") &&
    (method === "HEAD"
      ? body === ""
      : complete.isValid({ $ref: `#/components/schemas/${schema}` }, JSON.parse(body)));
  if (status !== expected || !isProblem) throw new Error(`${method} was answered with ${status}: ${body}`);
}

import type { PathItem, PathOperation } from "async-request-reply/openapi";
import type { WireRequest, WireResponse } from "../support/adapter-suite/fixtures/adapter-case.js";
import { documentOf } from "../support/openapi-services.js";
import { checkAccepted } from "./accepted-request.js";
import { factsOfFields, factsOfReplies, factsOfReply } from "./described-reply.js";
import { type DocumentReader, readDocument } from "./document-reader.js";
import type { CheckReply } from "./documented-harness.js";

/** Replies that no document can describe, and the reasons. */
export const UNDESCRIBED = {
  "404 at a path that the document does not have": "it would have to list everything that does not exist",
  "405 to a method that the path does not have": "it would have to list everything that does not exist",
  "204 to OPTIONS": "it repeats the document",
  "a reply to HEAD": "it is the described reply to GET without the body (RFC 9110 §9.3.2)",
} as const;

type Undescribed = keyof typeof UNDESCRIBED;

/** Everything that documents say about replies, and the part of it that replies have shown. */
export interface Coverage {
  readonly possible: ReadonlySet<string>;
  readonly shown: ReadonlySet<string>;
  readonly undescribed: ReadonlySet<Undescribed>;
}

/** Creates a check that compares replies with documents and records what both have shown. */
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
    const described = factsOfReplies(reader, operation);
    const seen = factsOfReply(reader, operation, reply);
    refuseUnknown(seen, described);
    checkAccepted(reader, operation, request, reply);
    for (const fact of described) possible.add(common(fact));
    for (const fact of seen) shown.add(common(fact));
  };
  return { check, coverage: { possible, shown, undescribed } };
}

/** Merges definitions, status paths and problem base URIs: a fact shown for one counts for all. */
function common(fact: string): string {
  return fact
    .replace(/^submit\w+/, "submit")
    .replace(/^(?:listOperations|getOutput) (?=[45])/, "getOperation ")
    .replace(/(\.definition is ).*/, "$1any")
    .replace(/ is "https:[^"]*[#/]/, ' is "');
}

function operationOf(item: PathItem | undefined, method: string): PathOperation | undefined {
  if (method === "POST") return item?.post;
  if (method === "DELETE") return item?.delete;
  return method === "GET" ? item?.get : undefined;
}

function refuseUnknown(seen: readonly string[], described: readonly string[]): void {
  const unknown = seen.filter((fact) => !described.includes(fact));
  if (unknown.length > 0) throw new Error(`Not in the document: ${unknown.join(", ")}`);
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

/** Checks that a reply to HEAD has the fields of GET and no body. */
function checkHead(reader: DocumentReader, get: PathOperation, reply: WireResponse): void {
  const at = `${get.operationId} ${reply.status}`;
  const response = get.responses[reply.status];
  if (response === undefined || reply.body !== "")
    throw new Error(`HEAD was answered with ${at}: ${reply.body}`);
  refuseUnknown(factsOfFields(reader, response, reply, at), factsOfReplies(reader, get));
}

/** A document that has the problems of 404 and 405, in case the services under test have no such replies. */
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

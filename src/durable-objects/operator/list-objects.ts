import type { ListedOperation, ListRequest } from "../../ports/operation-reads.js";
import type { NewestObject } from "../directory/calls.js";
import { type Caller, callerOf, objectNamed } from "../object-calls.js";
import type { ObjectNamespace } from "../platform.js";
import type { OperatorCalls } from "./calls.js";
import { type Listed, mergeLists } from "./merge-lists.js";

/** Creates the calls to the object with this name. */
export function callObject<Id>(objects: ObjectNamespace<Id>, name: string): Caller<OperatorCalls> {
  return callerOf(objectNamed(objects, name));
}

/** Returns an object as one whose operations can be listed. */
export function toListed<Id>(objects: ObjectNamespace<Id>, { name, newestAt }: NewestObject): Listed {
  return { newestAt, list: (request) => callObject(objects, name)("list", request) };
}

/** Lists the operations of the objects of a tenant as if they were in one. */
export function listObjects<Id>(
  objects: ObjectNamespace<Id>,
  names: readonly string[],
  request: ListRequest,
): Promise<readonly ListedOperation[]> {
  return mergeLists(
    names.map((name) => toListed(objects, { name, newestAt: Number.POSITIVE_INFINITY })),
    request,
  );
}

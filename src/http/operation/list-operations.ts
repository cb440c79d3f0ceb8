import { toTimeText, toVisibleSummary } from "../../contract/visible-operation.js";
import { storeAnswer } from "../../operations/store-answer.js";
import type { ListedOperation, ListRequest } from "../../ports/operation-reads.js";
import type { OperationStore } from "../../ports/operation-store.js";
import { toCursor } from "../../protocol/list-cursor.js";
import { admitRequest } from "../access/admit-request.js";
import type { ServiceContext } from "../context.js";
import { header } from "../message/headers.js";
import type { HttpRequest, HttpResponse } from "../message/message.js";
import { notFound } from "../message/refusals.js";
import { type Fields, reply } from "../message/reply.js";
import { replyFormat } from "../negotiation/reply-format.js";
import { NO_PARAMS } from "../routing/route-table.js";
import { type ListQuery, readListQuery } from "./list-query.js";

/** Lists the operations of the caller's tenant: see `listOperations` of the service. */
export async function listOperations(request: HttpRequest, service: ServiceContext): Promise<HttpResponse> {
  const { settings, backend } = service;
  if (!settings.list) throw notFound();
  const { tenant } = await admitRequest(service, request, { action: "list", params: NO_PARAMS });
  return replyWithList(request, service, tenant, (asked) => backend.operations.list(asked));
}

/** Replies with a page of a list, for a request that was authorized. */
export async function replyWithList(
  request: HttpRequest,
  service: ServiceContext,
  tenant: string,
  list: OperationStore["list"],
): Promise<HttpResponse> {
  const { settings, definitions, formats } = service;
  const format = replyFormat(header(request.headers, "accept"), formats);
  const query = readListQuery(
    request.path,
    definitions.map(({ name }) => name),
  );
  const found = await storeAnswer(service, list(toListRequest(query, tenant)));
  const page = found.slice(0, query.limit);
  const fields: Fields = { "cache-control": "no-store" };
  const last = found.length > query.limit ? page.at(-1) : undefined;
  if (last !== undefined) fields.link = `<${nextPage(service, query, last)}>; rel="next"`;
  const value = {
    operations: page.map((operation) => toVisibleSummary(operation, toTimeText, settings.problemBaseUri)),
  };
  return reply(format, { status: 200, kind: "operations", name: "operations", value }, fields);
}

/** Asks for one more operation than the page has, to learn whether there is a next page. */
function toListRequest({ definition, status, after, limit }: ListQuery, tenant: string): ListRequest {
  return {
    tenant,
    ...(definition === undefined ? {} : { definition }),
    ...(status === undefined ? {} : { state: status }),
    ...(after === undefined ? {} : { after }),
    limit: limit + 1,
  };
}

function nextPage({ settings }: ServiceContext, { given }: ListQuery, last: ListedOperation): string {
  const next = new URLSearchParams(given);
  next.set("cursor", toCursor(last));
  return `${settings.basePath}${settings.statusPath}?${next}`;
}

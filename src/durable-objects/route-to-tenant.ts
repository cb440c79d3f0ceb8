import { toHttpRequest } from "../adapters/fetch/read-request.js";
import { toResponse } from "../adapters/fetch/write-response.js";
import { createMemoryBackend } from "../backends/memory/backend.js";
import type { Definitions } from "../contract/definition/definitions.js";
import { AsyncReplyError } from "../contract/errors.js";
import { callback } from "../contract/option-values.js";
import type { Format } from "../formats/format.js";
import { admitRequest } from "../http/access/admit-request.js";
import { createRouter, type Handler } from "../http/handle.js";
import type { HttpRequest, HttpResponse } from "../http/message/message.js";
import { replyWithList } from "../http/operation/list-operations.js";
import { OUTPUT_SUFFIX } from "../http/operation/status-monitor.js";
import { NO_PARAMS } from "../http/routing/route-table.js";
import type { SettingsOptions } from "../http/settings.js";
import type { Authorization, Authorize, Principal } from "../ports/authorize.js";
import type { Backend } from "../ports/backend.js";
import type { Observer } from "../ports/observer.js";
import { SHARED } from "../protocol/shared.js";
import { createService } from "../service/create-service.js";
import { refuseUnshardable } from "./check-options.js";
import { readShards, shardOfKey, shardOfOperation } from "./choose-shard.js";
import { FORWARDED, toForwarded } from "./forwarded.js";
import { CALL, objectNamed } from "./object-calls.js";
import { namesOf, toNameText } from "./object-name.js";
import { listObjects } from "./operator/list-objects.js";
import type { ObjectNamespace } from "./platform.js";

/** Options of {@link routeToTenant}. Paths and limits must be those of the objects. */
export interface RouteOptions<Env, Id> extends SettingsOptions {
  /** The definitions of the objects. */
  readonly definitions: Definitions;
  /** Authorizes every request. The tenant that it returns has an object for itself. */
  readonly authorize: Authorize;
  /** Returns the binding of the class. */
  readonly objects: (env: Env) => ObjectNamespace<Id>;
  /**
   * Number of objects of a tenant, 1 to 64, if one is not enough. It is fixed by the tenant's first operation, and holds until all
   * have expired: requests with another number get a 503. The objects need a `directory`, and definitions have no `serialBy` and no
   * `limits`. Default: 1.
   */
  readonly shards?: number | ((tenant: string) => number);
  /** Formats of problems in addition to JSON. Default: none. */
  readonly formats?: readonly Format[];
  /** Receives the events of requests that reach no object. Default: logs warnings and errors to the console. */
  readonly observe?: Observer | false;
}

/** The `fetch` function of a Worker. */
export type RoutingHandler<Env> = (request: Request, env: Env, context?: object) => Promise<Response>;

/** A request on its way to an object. */
interface Routed<Id> {
  readonly request: Request;
  readonly objects: ObjectNamespace<Id>;
}

/** Chooses the shard of a request among this number. */
type ChooseShard = (plain: HttpRequest, shards: number) => number | Promise<number>;

/**
 * Creates the `fetch` function of a Worker that keeps the operations of each tenant in an object for itself. It finds the tenant with
 * `authorize`, so no request names the object of another tenant. Refused requests and unknown paths wake up no object.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function routeToTenant<Env, Id = never>({
  objects,
  shards,
  ...options
}: RouteOptions<Env, Id>): RoutingHandler<Env> {
  const objectsOf = callback<typeof objects>("a function that returns the binding of the class")(
    objects,
    "objects",
  );
  const shardsOf = readShards(shards);
  const service = createService({ ...options, backend: withoutOperations() })[SHARED];
  if (shards !== undefined) refuseUnshardable(service.definitions);
  const routed = new WeakMap<HttpRequest, Routed<Id>>();

  const forward =
    (authorization: Omit<Authorization, "params">, choose: ChooseShard): Handler =>
    async (plain, _service, _context, params) => {
      const principal = await admitRequest(service, plain, { ...authorization, params });
      const { tenant } = principal;
      const count = shardsOf(tenant);
      const shard = count === 1 ? 0 : await choose(plain, count);
      const name = toNameText({ tenant, shard, shards: count });
      return send(routed.get(plain) as Routed<Id>, name, principal);
    };
  const list: Handler = async (plain) => {
    const authorization = { action: "list", params: NO_PARAMS } as const;
    const principal = await admitRequest(service, plain, authorization);
    const { tenant } = principal;
    const { objects } = routed.get(plain) as Routed<Id>;
    const names = namesOf(tenant, shardsOf(tenant));
    return replyWithList(plain, service, tenant, (asked) => listObjects(objects, names, asked));
  };
  const { handle } = createRouter(
    // The objects send the notices of deprecation.
    { ...service, definitions: service.definitions.map(({ deprecated: _, ...definition }) => definition) },
    {
      submit: ({ name }) => forward({ action: "submit", definition: name }, shardOfKey(service.runtime)),
      read: forward({ action: "read" }, shardOfOperation),
      cancel: forward({ action: "cancel" }, shardOfOperation),
      list: shards === undefined ? forward({ action: "list" }, () => 0) : list,
      output: forward({ action: "read" }, (plain, count) => shardOfOperation(plain, count, OUTPUT_SUFFIX)),
    },
  );
  return async (request, env) => {
    const { request: plain } = toHttpRequest(request);
    routed.set(plain, { request, objects: objectsOf(env) });
    return toResponse(await handle(plain));
  };
}

/** The Worker keeps nothing: its memory is one of many, and can end at any time. */
function withoutOperations(): Backend {
  const backend = createMemoryBackend();
  // Without the mark of a back end in memory, which would be reported.
  const operations = Object.fromEntries(
    Object.entries(backend.operations),
  ) as unknown as Backend["operations"];
  return { ...backend, operations };
}

/** Passes a request on, with its body as a stream. */
async function send<Id>(
  { request, objects }: Routed<Id>,
  name: string,
  principal: Required<Principal>,
): Promise<HttpResponse> {
  const headers = new Headers(request.headers);
  headers.set(FORWARDED, toForwarded(principal));
  headers.delete(CALL);
  try {
    const object = objectNamed(objects, name);
    const { status, headers: fields, body } = await object.fetch(new Request(request, { headers }));
    return { status, headers: Object.fromEntries(fields), ...(body === null ? {} : { body }) };
  } catch (cause) {
    // A deploy or an overload ends the call of an object. Its records stay, and the client has its key.
    throw new AsyncReplyError(
      "STORE_UNAVAILABLE",
      "The operations of this tenant cannot be reached at the moment.",
      { cause, retryAfterSeconds: 1 },
    );
  }
}

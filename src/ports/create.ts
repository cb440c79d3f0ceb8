import type { Definitions, Named, ParsedInputOf } from "../contract/definition/definitions.js";
import type { AsyncHandle } from "./synchronous.js";

/** A resource that was created before the reply, for the 201 of spec §4.1. */
export interface CreatedResource {
  /** Representation of the resource: the body of the 201. */
  readonly body: Readonly<Record<string, unknown>>;
  /** URI at which the resource can be read (RFC 9110 §15.3.2). Default: none. */
  readonly location?: string;
}

/** Context that every {@link CreateResource} receives with the input. */
export interface CreateContextBase {
  /** Id of the operation. Use it as the idempotency key of the creation. */
  readonly operationId: string;
  /** Tenant that owns the operation. */
  readonly tenant: string;
  /** Aborted when the creation takes too long, or when another process takes it over. */
  readonly signal: AbortSignal;
}

/**
 * Context that {@link CreateResource} receives with the input. It has a `tx` if the back end shares its transactions with
 * asynchronous functions.
 */
export type CreateContext<Tx = never> = CreateContextBase &
  ([AsyncHandle<Tx>] extends [never]
    ? unknown
    : {
        /** Transaction that records the operation. It holds a connection, so keep it short. */
        readonly tx: AsyncHandle<Tx>;
      });

/**
 * Creates the resource before the reply. It must be idempotent by `operationId`, because it is called again with the
 * same id after a crash or a lost lease. If it throws, the reply is 503 and the client retries. If it throws
 * `permanentFailure`, the operation fails.
 *
 * `body` must be JSON, like the result of a processor. Members that are `undefined` are dropped. A body that JSON
 * cannot represent counts as a thrown error.
 */
export type CreateResource<Input, Tx = never> = (
  input: Input,
  context: CreateContext<Tx>,
) => CreatedResource | Promise<CreatedResource>;

/** Functions that create a resource before the reply, by name of their definition. */
export type Creators<List extends Definitions, Tx, Created extends string> = {
  readonly [Name in Created]?: CreateResource<ParsedInputOf<Named<List, Name>>, Tx>;
};

/** A {@link CreateResource} for any definition. */
export type AnyCreate = (input: never, context: never) => CreatedResource | Promise<CreatedResource>;

/** {@link Creators} for any definitions. */
export type AnyCreators = Readonly<Record<string, AnyCreate>>;

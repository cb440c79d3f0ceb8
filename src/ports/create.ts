import type { Definitions, Named, ParsedInputOf } from "../contract/definitions.js";

/** The resource that was created before the reply: the 201 of spec §4.1. */
export interface CreatedResource {
  /** The representation of the resource: the body of the 201. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Where the resource can be read, if it can (RFC 9110 §15.3.2). */
  readonly location?: string;
}

/** What every {@link CreateResource} gets besides the input. */
export interface CreateContextBase {
  /** The idempotency key of the creation. */
  readonly operationId: string;
  /** Owner of the operation. */
  readonly tenant: string;
  /** Aborted when the creation took too long, or when another process has taken it over. */
  readonly signal: AbortSignal;
}

/** What {@link CreateResource} gets besides the input. It has a `tx` if the back end shares its transactions. */
export type CreateContext<Tx = never> = CreateContextBase &
  ([Tx] extends [never]
    ? unknown
    : {
        /** The transaction that records the operation. It holds a connection, so keep it short. */
        readonly tx: Tx;
      });

/**
 * Creates the resource before the reply. It must be idempotent by `operationId`: after a crash or a lost lease it is called
 * again with the same one. If it throws, the reply is 503 and the client tries again; `permanentFailure` ends the operation.
 *
 * `body` must be JSON, like the result of a processor. Members that are `undefined` are dropped. A body that JSON cannot
 * represent counts as thrown.
 */
export type CreateResource<Input, Tx = never> = (
  input: Input,
  context: CreateContext<Tx>,
) => CreatedResource | Promise<CreatedResource>;

/** One {@link CreateResource} for each definition whose resource is created before the reply, by name. */
export type Creators<List extends Definitions, Tx, Created extends string> = {
  readonly [Name in Created]?: CreateResource<ParsedInputOf<Named<List, Name>>, Tx>;
};

/** A {@link CreateResource} of any definition. */
export type AnyCreate = (input: never, context: never) => CreatedResource | Promise<CreatedResource>;

/** {@link Creators} of any definitions. */
export type AnyCreators = Readonly<Record<string, AnyCreate>>;

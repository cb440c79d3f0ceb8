import type { Operation } from "../contract/operation.js";
import type { Latest } from "./latest.js";

/** A caller that waits for changes of an operation. */
export interface Subscriber extends Pick<Latest<Operation>, "offer" | "end"> {
  readonly tenant: string;
}

/** Subscribers by id of their operation. */
export type Subscribers = ReadonlyMap<string, ReadonlySet<Subscriber>>;

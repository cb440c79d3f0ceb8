import type { OrderDefinition } from "../../contract/definition/order.js";
import type { Backend, SeparateStores } from "../../ports/backend.js";
import type { MinutesStore } from "../../ports/minutes-store.js";
import type { OutputStore } from "../../ports/output-store.js";
import type { Extras } from "./actors/extras.js";
import type { Ledger } from "./ledger/ledger.js";
import type { SynchronousTransactions } from "./ports/synchronous.js";
import type { Transactions } from "./ports/transactions.js";
import type { Process } from "./world/process.js";
import type { World } from "./world/world.js";

/** A worker that hears rings. */
export interface Hearing {
  readonly process: Process;
  readonly onRing: () => void;
  wanted: ReadonlySet<string>;
}

/** Dependencies shared by all processes of a history. */
export interface Stage {
  readonly world: World;
  readonly ledger: Ledger;
  readonly backend: Backend | SeparateStores;
  /** Keeps the output of orders. Absent in histories without output. */
  readonly output: OutputStore | undefined;
  /** Keeps what processes count by minute. Absent in histories in which they do not count. */
  readonly minutes: MinutesStore | undefined;
  /** The workers that hear rings, in all processes of the world. */
  readonly hearings: Set<Hearing>;
  readonly transactions: Transactions;
  /** Synchronous transactions. Absent if the back end under test does not share them. */
  readonly synchronous: SynchronousTransactions | undefined;
  /** The definition of orders. In some histories, it limits their backlog or has output. */
  readonly orders: OrderDefinition;
  /** Whether orders are created before the reply (201). */
  readonly creates: boolean;
  /** Whether the ends of operations are announced with webhooks. */
  readonly webhooks: boolean;
  /** Returns the next number for ids and tokens. Equal choices then produce equal histories. */
  readonly nextNumber: () => number;
  /** Returns a new operation id. */
  readonly newId: () => string;
  readonly extras: Extras;
}

import type { Backend } from "../../ports/backend.js";
import type { Extras } from "./actors/extras.js";
import type { Ledger } from "./ledger/ledger.js";
import type { Transactions } from "./ports/transactions.js";
import type { World } from "./world/world.js";

/** The wake-ups of those who wait for announcements, in all processes of a world. */
export type Wakeups = Set<() => void>;

/** What all processes of a history share. */
export interface Stage {
  readonly world: World;
  readonly ledger: Ledger;
  readonly backend: Backend;
  readonly wakeups: Wakeups;
  readonly transactions: Transactions;
  /** Whether orders are created before the reply (201). */
  readonly creates: boolean;
  /** Numbers ids and tokens, so that equal choices make equal histories. */
  readonly nextNumber: () => number;
  /** Ids of operations. */
  readonly newId: () => string;
  readonly extras: Extras;
}

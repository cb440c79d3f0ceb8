/** The place of an object in a directory. */
export interface Membership {
  /** Whether pauses come from the directory, so that those of the object are copies. */
  readonly sharesPauses: boolean;
  /** Number of values that it keeps in the storage. */
  readonly values: number;
  /** Reads the number of the object, or asks for one. Never rejects. */
  load(): Promise<void>;
  /** Throws `STORE_UNAVAILABLE` if the tenant has operations in another number of objects. */
  checkShards(): void;
  /** Makes the object part of an operation id. Throws `STORE_UNAVAILABLE` if the object has no number yet. */
  numbered(id: string): string;
  /** Asks for a number if the object has none, or whether it can still be used if the object has left. Never rejects. */
  ensureNumber(): Promise<void>;
  /** Sends a report and applies the pauses, unless it did within the last minute. Never rejects. */
  refresh(): Promise<void>;
  /** Remembers that the next report differs from the last one. */
  changed(): void;
  /** Returns when the next report is due, because something has changed. Epoch milliseconds, or infinity. */
  owedAt(): number;
  /** Tells the directory that the object is empty. Resolves to whether the directory has forgotten it. Never rejects. */
  leave(): Promise<boolean>;
  /** Learns that everything in the storage is deleted. */
  deleted(): void;
}

/** That of an object without a directory. */
export const NO_DIRECTORY: Membership = {
  sharesPauses: false,
  values: 0,
  load: async () => {},
  checkShards: () => {},
  numbered: (id) => id,
  ensureNumber: async () => {},
  refresh: async () => {},
  changed: () => {},
  owedAt: () => Number.POSITIVE_INFINITY,
  leave: async () => true,
  deleted: () => {},
};

/** Kind of a call that writes: for new operations, or for the progress of existing ones. */
export type CallKind = "submissions" | "work";

/** Options of {@link Driver.write}. */
export interface WriteOptions {
  /** Size of the data of the job. Default: 0. */
  readonly bytes?: number | undefined;
  /**
   * Whether a power failure may undo the job, as long as it undoes everything after it too. The commit then does not
   * wait for the disk. For jobs that only take leases or delete: everything that depends on a lease is committed later.
   * Default: false.
   */
  readonly canBeLost?: boolean;
}

/** Runs the jobs of an engine on the table of its store. A job is synchronous, and one atomic step. */
export interface Driver {
  /** Whether a commit waits for a disk, so that it is worth avoiding. */
  readonly waitsForDisk: boolean;
  /** Runs a job that only reads. */
  read<Result>(job: () => Result): Promise<Result>;
  /** Runs a job that may write. If the job throws, nothing that it did remains. It may run again after that. */
  write<Result>(kind: CallKind, job: () => Result, options?: WriteOptions): Promise<Result>;
}

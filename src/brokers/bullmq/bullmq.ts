/** A job of BullMQ. */
export interface BullmqJob {
  /** Data that was added. */
  readonly data: unknown;
  /** Ends the job. With `false`, takes no other job. */
  moveToCompleted(result: unknown, token: string, fetchNext: false): Promise<unknown>;
}

/** Methods that the classes of BullMQ share. */
export interface BullmqPart {
  /** Resolves when the connection is open. */
  waitUntilReady(): Promise<unknown>;
  /** Calls `listener` at each error of the connection. */
  on(event: "error", listener: (error: Error) => void): unknown;
  /** Closes what the instance opened, and leaves a connection of yours open. Waits for nothing if forced. */
  close(force?: boolean): Promise<void>;
}

/** A `Queue` of BullMQ. */
export interface BullmqQueue extends BullmqPart {
  /** Adds jobs. */
  addBulk(
    jobs: {
      name: string;
      data: unknown;
      opts?: {
        jobId?: string;
        removeOnComplete?: boolean;
        removeOnFail?: boolean;
        telemetry?: { metadata?: string };
      };
    }[],
  ): Promise<unknown>;
}

/** A `Worker` of BullMQ. */
export interface BullmqWorker extends BullmqPart {
  /** Takes a job. Resolves to `undefined` if no job waits, with `block` after a few seconds. */
  getNextJob(token: string, options: { block?: boolean }): Promise<BullmqJob | undefined>;
  /** Starts to return the jobs of dead workers. */
  startStalledCheckTimer(): Promise<void>;
}

/**
 * The classes of `bullmq` 6 that the queue uses, such as `import * as bullmq from "bullmq"`. `Connection` is the type
 * of its option `connection`.
 */
export interface Bullmq<Connection = never> {
  /** Class that adds jobs. */
  readonly Queue: {
    /** Creates an instance for the jobs of one name. */
    new (name: string, options: { connection: Connection; prefix?: string }): BullmqQueue;
  };
  /** Class that takes jobs. */
  readonly Worker: {
    /** Creates an instance without a processor, which takes jobs only when it is asked to. */
    new (
      name: string,
      processor: null,
      options: {
        connection: Connection;
        prefix?: string;
        autorun?: boolean;
        removeOnComplete?: { count: number };
        removeOnFail?: { count: number };
      },
    ): BullmqWorker;
  };
}

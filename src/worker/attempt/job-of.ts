import type {
  CheckpointInputOf,
  CheckpointOf,
  ChunkInputOf,
  ProcessorProgressOf,
} from "../../contract/definition/definitions.js";
import type { Job } from "./job.js";
import type { Checkpoints, Writes } from "./output/job-members.js";

/**
 * The job of a definition: with {@link Writes} if it has `chunk`, and with {@link Checkpoints} if it has `checkpoint`. `Tx` is
 * the type of the back end's transaction handle.
 */
export type JobOf<Definition, Tx = unknown> = Job<ProcessorProgressOf<Definition>, Tx> &
  MembersOf<Definition, Tx>;

/** Members of a job that depend on the schemas of the definition. */
export type MembersOf<Definition, Tx> = ([ChunkInputOf<Definition>] extends [never]
  ? unknown
  : Writes<ChunkInputOf<Definition>>) &
  ([CheckpointInputOf<Definition>] extends [never]
    ? unknown
    : Checkpoints<CheckpointInputOf<Definition>, CheckpointOf<Definition>, Tx>);

import { accept } from "./accept.mjs";
import { churn } from "./churn.mjs";
import { drain } from "./drain.mjs";
import { latency } from "./latency.mjs";
import { queue } from "./queue.mjs";
import { read } from "./read.mjs";
import { wal } from "./wal.mjs";

/** What the process of a variant can be asked for. */
export const measures = { accept, churn, drain, latency, queue, read, wal };

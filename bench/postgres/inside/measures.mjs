import { accept } from "./accept.mjs";
import { churn } from "./churn.mjs";
import { crowd } from "./crowd.mjs";
import { drain } from "./drain.mjs";
import { fairness } from "./fairness.mjs";
import { full } from "./full.mjs";
import { latency } from "./latency.mjs";
import { many } from "./many.mjs";
import { pairs } from "./pairs.mjs";
import { purge } from "./purge.mjs";
import { queue } from "./queue.mjs";
import { quiet } from "./quiet.mjs";
import { read } from "./read.mjs";
import { sizes } from "./sizes.mjs";
import { stats } from "./stats.mjs";
import { wal } from "./wal.mjs";

/** The measurements that the process of a variant can run. */
export const measures = {
  accept,
  churn,
  crowd,
  drain,
  fairness,
  full,
  latency,
  many,
  pairs,
  purge,
  queue,
  quiet,
  read,
  sizes,
  stats,
  wal,
};

/** Name, unit and meaning of a metric. */
export interface MetricDescription {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
}

type MetricKey =
  | "submissions"
  | "refusals"
  | "attempts"
  | "processDuration"
  | "queueDuration"
  | "operationDuration"
  | "queueDepth"
  | "oldestDueAge"
  | "running"
  | "runningLimit"
  | "paused"
  | "waiters"
  | "deliveries"
  | "deliveryDuration";

/** Every metric of {@link startTelemetry}. The names are part of the public contract. */
export const METRICS: Readonly<Record<MetricKey, MetricDescription>> = {
  submissions: metric("submissions", "{submission}", "Submissions, by outcome."),
  refusals: metric("refusals", "{submission}", "Submissions that were refused, by problem type."),
  attempts: metric("attempts", "{attempt}", "Attempts that ended, by outcome."),
  processDuration: metric("process.duration", "s", "Time that a processor ran."),
  queueDuration: metric(
    "queue.duration",
    "s",
    "Time from the acceptance of an operation to the start of its first attempt.",
  ),
  operationDuration: metric(
    "operation.duration",
    "s",
    "Time from the acceptance of an operation to its end.",
  ),
  queueDepth: metric(
    "queue.depth",
    "{operation}",
    "Operations that are due and have no worker, at most 10,000.",
  ),
  oldestDueAge: metric("oldest_due.age", "s", "How long the longest-waiting due operation has been due."),
  running: metric("queue.running", "{operation}", "Operations that run, at most 10,000."),
  runningLimit: metric(
    "queue.limit",
    "{operation}",
    "Most operations that may run at once, if there is a limit.",
  ),
  paused: metric("queue.paused", "{definition}", "1 while the definition is paused, and 0 otherwise."),
  waiters: metric("waiters", "{waiter}", "Requests and calls that wait for the end of an operation."),
  deliveries: metric("webhook.deliveries", "{attempt}", "Attempts to deliver a webhook, by outcome."),
  deliveryDuration: metric("webhook.duration", "s", "Time that an attempt to deliver a webhook took."),
};

function metric(name: string, unit: string, description: string): MetricDescription {
  return { name: `async_request_reply.${name}`, unit, description };
}

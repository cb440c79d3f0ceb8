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
  | "waiters"
  | "deliveries"
  | "deliveryDuration";

/** Every metric of {@link startTelemetry}. The names are part of the public contract. */
export const METRICS: Readonly<Record<MetricKey, MetricDescription>> = {
  submissions: {
    name: "async_request_reply.submissions",
    unit: "{submission}",
    description: "Submissions, by outcome.",
  },
  refusals: {
    name: "async_request_reply.refusals",
    unit: "{submission}",
    description: "Submissions that were refused, by problem type.",
  },
  attempts: {
    name: "async_request_reply.attempts",
    unit: "{attempt}",
    description: "Attempts that ended, by outcome.",
  },
  processDuration: {
    name: "async_request_reply.process.duration",
    unit: "s",
    description: "Time that a processor ran.",
  },
  queueDuration: {
    name: "async_request_reply.queue.duration",
    unit: "s",
    description: "Time from the acceptance of an operation to the start of its first attempt.",
  },
  operationDuration: {
    name: "async_request_reply.operation.duration",
    unit: "s",
    description: "Time from the acceptance of an operation to its end.",
  },
  queueDepth: {
    name: "async_request_reply.queue.depth",
    unit: "{operation}",
    description: "Operations that are due and have no worker, at most 10,000.",
  },
  oldestDueAge: {
    name: "async_request_reply.oldest_due.age",
    unit: "s",
    description: "How long the longest-waiting due operation has been due.",
  },
  waiters: {
    name: "async_request_reply.waiters",
    unit: "{waiter}",
    description: "Requests and calls that wait for the end of an operation.",
  },
  deliveries: {
    name: "async_request_reply.webhook.deliveries",
    unit: "{attempt}",
    description: "Attempts to deliver a webhook, by outcome.",
  },
  deliveryDuration: {
    name: "async_request_reply.webhook.duration",
    unit: "s",
    description: "Time that an attempt to deliver a webhook took.",
  },
};

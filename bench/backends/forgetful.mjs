/**
 * A back end that keeps nothing: every submission is new. It leaves of a request what a service does before a remote store
 * comes in, which is what the front of such a store can be judged by.
 */
export function createForgetfulBackend() {
  const operations = {
    create: async () => "created",
    get: async () => undefined,
    beginAttempt: async () => ({ outcome: "unknown" }),
    renew: async () => ({ outcome: "lost" }),
    settle: async () => ({ outcome: "lost" }),
    requestCancel: async () => "unknown",
    takeDue: async () => [],
    takeExpired: async () => [],
    remove: async () => {},
  };
  const idempotency = {
    claim: async () => ({ outcome: "claimed" }),
    release: async () => {},
    takeStale: async () => [],
  };
  const queue = {
    publish: async () => {},
    consume: () => ({ receive: async () => [], close: async () => {} }),
    close: async () => {},
  };
  const submissions = {
    operations,
    idempotency,
    record: async () => ({ outcome: "created" }),
    purge: async () => 0,
  };
  return { operations, idempotency, queue, submissions, check: async () => {}, close: async () => {} };
}

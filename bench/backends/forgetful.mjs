/**
 * A back end that stores nothing, so every submission is new. It shows what the service itself costs, without the time that a
 * remote store takes.
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
    bind: async () => ({ outcome: "bound" }),
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

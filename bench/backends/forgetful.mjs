/**
 * A back end that stores nothing, so every submission is new. It shows what the service itself costs, without the time that a
 * remote store takes.
 */
export function createForgetfulBackend() {
  const operations = {
    create: async () => "created",
    get: async () => undefined,
    claim: async () => ({ begun: [], ended: [], again: false, blocked: false }),
    renew: async () => ({ outcome: "lost" }),
    settle: async () => ({ outcome: "lost" }),
    requestCancel: async () => "unknown",
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
    listen: () => ({ want: () => {}, close: async () => {} }),
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

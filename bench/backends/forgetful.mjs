/**
 * A back end that stores nothing, so every submission is new. It shows what the service itself costs, without the time that a
 * remote store takes.
 */
export function createForgetfulBackend() {
  const operations = {
    keeps: [],
    create: async () => "created",
    get: async () => undefined,
    claim: async () => ({ begun: [], ended: [], again: false, blocked: false }),
    renew: async () => ({ outcome: "lost" }),
    settle: async () => ({ outcome: "lost" }),
    requestCancel: async () => "unknown",
    endOverdue: async () => [],
    getMany: async () => [],
    list: async () => [],
    stats: async () => [],
    countPending: async (requests) => requests.map(() => 0),
    redrive: async () => ({ outcome: "unknown" }),
    pause: async () => {},
    resume: async () => {},
  };
  const submissions = {
    record: async () => ({ outcome: "created" }),
    recordMany: async (submissions) => submissions.map(() => ({ outcome: "created" })),
    findKey: async () => undefined,
    purge: async () => 0,
  };
  const queue = {
    publish: async () => {},
    listen: () => ({ want: () => {}, close: async () => {} }),
    close: async () => {},
  };
  return { operations, submissions, queue, check: async () => {}, close: async () => {} };
}

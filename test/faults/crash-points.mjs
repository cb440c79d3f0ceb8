/**
 * Creates the function that is called at every named point. It sends this process `crashBy` at the point `crashAt`, the
 * `crashOn`-th time. After SIGKILL it never returns. After SIGSTOP it returns once the process continues.
 */
export function createCrashPoint({ crashAt, crashOn = 1, crashBy = "SIGKILL" }) {
  let left = crashOn;
  return async (point) => {
    if (point !== crashAt) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, crashBy);
  };
}

/** Wraps a back end so that it calls `reach` before, during and after its methods. */
export function withCrashPoints(reach, backend) {
  const around = createAround(reach);
  const { operations, submissions, queue, check, close } = backend;
  return {
    operations: {
      ...operations,
      claim: around("claim", operations.claim),
      settle: around("settle", operations.settle),
    },
    submissions: {
      ...submissions,
      record: around("record", submissions.record),
      recordMany: around("record-many", submissions.recordMany),
    },
    queue: { ...queue, publish: around("publish", queue.publish) },
    check,
    close,
  };
}

/** Creates the function that wraps a call, so that `reach` is called before, during and after it. */
function createAround(reach) {
  return (name, call) =>
    async (request, ...more) => {
      await reach(`before-${name}`);
      const answer = call(request, ...more);
      // Runs when the request has been sent and before its reply can be read.
      setImmediate(() => reach(`during-${name}`));
      const value = await answer;
      await reach(`after-${name}`);
      return value;
    };
}

/** Wraps a handler so that it kills this process at the first POST, before the reply or after its first bytes. */
export function withCrashInReply({ crashAt }, handler) {
  if (crashAt !== "before-reply" && crashAt !== "during-reply") return handler;
  return (req, res) => {
    // Node buffers the head of the reply until `end`.
    const end = () => (crashAt === "during-reply" ? res.socket.write("HTTP/1.1 202 Acc", die) : die());
    if (req.method === "POST") res.end = end;
    handler(req, res);
  };
}

function die() {
  process.kill(process.pid, "SIGKILL");
}

/**
 * Makes the function that is called at every named point and kills this process at the one of `crashAt`, the `crashOn`-th
 * time. Where it kills it never returns; where `crashBy` is SIGSTOP it returns when the process goes on.
 */
export function crashing({ crashAt, crashOn = 1, crashBy = "SIGKILL" }) {
  let left = crashOn;
  return async (point) => {
    if (point !== crashAt) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, crashBy);
  };
}

/** A back end that calls `reach` before, during and after what it does. */
export function withCrashPoints(reach, backend) {
  const around =
    (name, call) =>
    async (request, ...more) => {
      await reach(`before-${name}`);
      const answer = call(request, ...more);
      // Once what is sent has been sent, and before an answer to it can be read.
      setImmediate(() => reach(`during-${name}`));
      const value = await answer;
      await reach(`after-${name}`);
      return value;
    };
  const { operations: own, idempotency: keys, submissions, queue, close } = backend;
  const operations = {
    ...own,
    create: around("create", own.create),
    settle: around("settle", own.settle),
  };
  const idempotency = { ...keys, claim: around("claim", keys.claim) };
  const record = around("record", submissions.record);
  return {
    operations,
    idempotency,
    queue: { ...queue, publish: around("publish", queue.publish) },
    submissions: { ...submissions, operations, idempotency, record },
    close,
  };
}

/** A handler that kills this process at its first POST: before a byte of the reply is sent, or after a few of them. */
export function withCrashInReply({ crashAt }, handler) {
  if (crashAt !== "before-reply" && crashAt !== "during-reply") return handler;
  return (req, res) => {
    // Until then Node keeps the head to itself.
    const end = () => (crashAt === "during-reply" ? res.socket.write("HTTP/1.1 202 Acc", die) : die());
    if (req.method === "POST") res.end = end;
    handler(req, res);
  };
}

function die() {
  process.kill(process.pid, "SIGKILL");
}

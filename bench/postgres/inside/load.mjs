/** Runs concurrent loops of calls for some seconds, and returns how long each call took. */
export async function runLoops(clients, seconds, call) {
  const latenciesMs = [];
  const end = performance.now() + seconds * 1_000;
  const loop = async () => {
    for (let now = performance.now(); now < end; ) {
      await call();
      const after = performance.now();
      latenciesMs.push(after - now);
      now = after;
    }
  };
  await Promise.all(Array.from({ length: clients }, loop));
  return latenciesMs;
}

/** Makes a number of calls from concurrent loops. */
export async function runCalls(clients, calls, call) {
  let left = calls;
  const loop = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: clients }, loop));
}

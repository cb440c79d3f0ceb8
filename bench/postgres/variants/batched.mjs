const MAX_BATCH = 128;
const IN_FLIGHT = 2;

/** Group commit by hand: everything that arrives while two flushes are running goes into the next one. */
export function batched(flush) {
  const waiting = [];
  let flying = 0;
  let scheduled = false;

  const schedule = () => {
    if (scheduled || flying === IN_FLIGHT) return;
    scheduled = true;
    queueMicrotask(() => {
      scheduled = false;
      while (flying < IN_FLIGHT && waiting.length > 0) void fly(waiting.splice(0, MAX_BATCH));
    });
  };
  const fly = async (batch) => {
    flying++;
    try {
      await flush(batch.map(({ item }) => item));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    flying--;
    schedule();
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule();
    });
}

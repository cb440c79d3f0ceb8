const LIMIT_MS = 60_000;

/** Creates a counter. `reached` resolves when it reaches a target. */
export function createCounter() {
  let count = 0;
  let check = () => {};
  return {
    add: (more = 1) => {
      count += more;
      check();
    },
    reached: (target) =>
      new Promise((resolve, reject) => {
        const late = () => reject(new Error(`only ${count} of ${target} were completed`));
        const timer = setTimeout(late, LIMIT_MS);
        check = () => {
          if (count < target) return;
          clearTimeout(timer);
          resolve();
        };
        check();
      }),
  };
}

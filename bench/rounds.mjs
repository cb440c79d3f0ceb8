/**
 * Measures every subject once per round, so that a machine that slows down for a while slows down all subjects. The seed shuffles
 * the order of each round. Returns the samples by name, one per round.
 */
export async function inRounds(subjects, { rounds, seed = 1 }, measureOne) {
  const random = mulberry32(seed);
  const samples = new Map(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const subject of shuffled(subjects, random)) {
      showProgress(`round ${round + 1} of ${rounds}: ${subject.name}`);
      samples.get(subject.name).push(await measureOne(subject));
    }
  }
  showProgress("");
  return samples;
}

function showProgress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r${text}\x1b[K`);
}

function shuffled(items, random) {
  const order = [...items];
  for (let index = order.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    [order[index], order[other]] = [order[other], order[index]];
  }
  return order;
}

/** A small seeded random number generator. */
function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

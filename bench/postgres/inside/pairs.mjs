/**
 * Samples the two sides of a variant alternately, and each of them first in half of the pairs, so that both meet the same noise.
 * `sample` names their method. Returns the figures of each pair, in the order of the sides.
 */
export async function pairs({ sides }, { sample, seconds }) {
  const [one, other] = sides.map((side) => side[sample]);
  const figures = [];
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    if (figures.length % 2 === 0) figures.push([await one(), await other()]);
    else figures.push([await other(), await one()].reverse());
  }
  return figures;
}

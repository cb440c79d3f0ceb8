/** How much a test does: `quick` in `npm test`, `long` in `npm run test:long`. */
export function effort(quick: number, long: number): number {
  return process.env.TEST_EFFORT === "long" ? long : quick;
}

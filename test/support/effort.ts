/** Returns `quick` in `npm test`, and `long` in `npm run test:long`. */
export function effort(quick: number, long: number): number {
  return process.env.TEST_EFFORT === "long" ? long : quick;
}

import { reportFull } from "../../postgres/sections/full.mjs";
import { onePerTenant } from "../variants.mjs";

/** How soon the next order of a tenant starts if many tenants are at their limit, and for how long that blocks the process. */
export async function full({ rounds, seed, withVariants }) {
  await withVariants([onePerTenant], (opened) => reportFull(opened, { rounds, seed, maxBlockMs: 10 }));
}

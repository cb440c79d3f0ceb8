import fc from "fast-check";
import { FIRST_SEED, isNight } from "./effort.js";

// Every run generates the same values, except at night. Set `PROPERTY_SEED` to try others.
const seed = Number(process.env.PROPERTY_SEED ?? (isNight ? FIRST_SEED : 20261122));
if (isNight) console.log(`PROPERTY_SEED=${seed}`);
fc.configureGlobal({ seed });

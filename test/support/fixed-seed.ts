import fc from "fast-check";

// Every run generates the same values. Set `PROPERTY_SEED` to try others.
fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 20261122) });

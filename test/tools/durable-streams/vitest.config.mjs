export default { test: { include: ["*.suite.mjs"], testTimeout: 60_000 } };

// The process of one variant: `node bench/postgres/inside/variant-process.mjs <module>`. It does what its parent asks for, one thing
// at a time, and tells its parent what it measured.
import { measures } from "./measures.mjs";

const { open } = await import(`../variants/${process.argv[2]}.mjs`);
let variant;

const methods = {
  open: async (options) => {
    variant = await open(options);
  },
  close: () => variant.close(),
  ...Object.fromEntries(
    Object.entries(measures).map(([name, measure]) => [name, (options) => measure(variant, options)]),
  ),
};

process.on("message", async ({ method, options }) => {
  try {
    process.send({ value: await methods[method](options) });
  } catch (error) {
    process.send({ error: error.stack ?? String(error) });
  }
});
process.on("disconnect", () => process.exit());

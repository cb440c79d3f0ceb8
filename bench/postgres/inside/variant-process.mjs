// The process of one variant: `node bench/postgres/inside/variant-process.mjs <URL of the module>`. Runs one request of its parent at a time
// and sends back what it measured.
import { measures } from "./measures.mjs";

const { open } = await import(process.argv[2]);
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

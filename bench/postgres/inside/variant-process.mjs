// The process of one variant: `node bench/postgres/inside/variant-process.mjs <URL of the module>`.
import { answerParent } from "./answer-parent.mjs";
import { measures } from "./measures.mjs";

const { open } = await import(process.argv[2]);
let variant;

answerParent({
  open: async (options) => {
    variant = await open(options);
  },
  close: () => variant.close(),
  ...Object.fromEntries(
    Object.entries(measures).map(([name, measure]) => [name, (options) => measure(variant, options)]),
  ),
});

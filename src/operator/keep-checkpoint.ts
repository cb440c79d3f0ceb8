import { misuse, shown } from "../contract/options.js";
import type { OperatorContext } from "./context.js";

/**
 * Checks that operations of a definition, or of all that the operator knows, can be run again from their last checkpoint. Chunks
 * are not kept, so work that wrote some would leave a gap.
 *
 * Throws `INVALID_OPTION`.
 */
export function checkKeepsCheckpoint(
  { definitions, readOutput }: Pick<OperatorContext, "definitions" | "readOutput">,
  name?: string,
): void {
  if (readOutput === undefined)
    throw misuse(
      "Option `keepCheckpoint` needs a back end with `output`, which this one lacks. Leave the option out: the work starts over.",
    );
  const known = definitions.filter((definition) => name === undefined || definition.name === name);
  const writing = known.find(({ chunk }) => chunk !== undefined);
  if (writing === undefined) return;
  throw misuse(
    `Option \`keepCheckpoint\` is for definitions without \`chunk\`, and ${shown(writing.name)} has one: its new operation would lack ` +
      "the chunks before the checkpoint. Leave the option out" +
      (name === undefined ? ", or name the `definition` in the filter." : ": the work starts over."),
  );
}

import { type ParseArgsConfig, parseArgs } from "node:util";
import { misuse } from "../contract/options.js";

/**
 * Reads the arguments of a command.
 *
 * Throws `INVALID_OPTION` with the usage.
 *
 * @param positionals whether it takes arguments without a name
 */
export function readArguments<const Options extends NonNullable<ParseArgsConfig["options"]>>(
  given: readonly string[],
  options: Options,
  usage: string,
  positionals = false,
): ReturnType<typeof parseArgs<{ readonly options: Options; readonly allowPositionals: true }>> {
  try {
    return parseArgs({ args: [...given], options, allowPositionals: positionals } as {
      readonly options: Options;
      readonly allowPositionals: true;
    });
  } catch (error) {
    const [problem] = String((error as Error).message).split(". ");
    throw misuse(`${problem}. ${usage}`);
  }
}

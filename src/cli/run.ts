/** A command of the program. Resolves to what it prints. */
export type Command = (given: readonly string[]) => string | Promise<string>;

/** Runs a command. Prints a mistake as one sentence, and then exits with code 1. */
export async function run(command: Command, given: readonly string[]): Promise<void> {
  // A reader such as `head` can close the pipe early, which is no mistake.
  process.stdout.on("error", (error: Error & { readonly code?: string }) => {
    if (error.code !== "EPIPE") throw error;
  });
  try {
    process.stdout.write(await command(given));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

import { type Block, blocksOf, type Page } from "../../docs/pages.js";
import { type Step, stepsOf } from "../../docs/steps.js";

/** What a reader of a quick start does, in the order of the page. */
export interface QuickStart {
  /** Until the server runs: files are written and commands run to their end. */
  readonly preparation: readonly (SourceFile | Command)[];
  /** The command that does not end. */
  readonly server: Command;
  /** What is done in another terminal. */
  readonly session: readonly Step[];
}

interface SourceFile {
  readonly path: string;
  readonly text: string;
}

interface Command {
  readonly command: string;
}

/**
 * Reads a quick start: code with a file name after the language is a file, the last command before the first curl is the
 * server.
 *
 * @throws Error for a page that cannot be followed
 */
export function readQuickStart(page: Page): QuickStart {
  const actions = blocksOf(page, "console", "js", "ts").flatMap(actionsOf);
  const first = actions.findIndex((action) => "input" in action && action.input.startsWith("$ curl "));
  const before = actions.slice(0, first).map((action) => ("input" in action ? toCommand(action) : action));
  const server = before.pop();
  if (server === undefined || !("command" in server)) throw new Error(`${page.path} starts no server`);
  const session = actions.slice(first).filter((action) => "input" in action);
  return { preparation: before, server, session };
}

function actionsOf({ place, info, text }: Block): readonly (Step | SourceFile)[] {
  if (info[0] === "console") return stepsOf(text);
  const [, path] = /^\[(.+)\]$/.exec(info[1] ?? "") ?? [];
  if (path === undefined) throw new Error(`${place} does not say into which file it belongs`);
  return [{ path, text }];
}

function toCommand({ input }: Step): Command {
  return { command: input.slice("$ ".length) };
}

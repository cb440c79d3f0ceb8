import { type Step, stepsOf } from "../../docs/steps.js";
import { type Block, blocksOf, type Page } from "../../support/pages.js";

/** The steps of a quick start or of the guide, in the order of the page. */
export interface QuickStart {
  /** Files to write and commands to run before a server starts. */
  readonly preparation: readonly (SourceFile | Command)[];
  /** The commands that start servers and keep running. */
  readonly servers: readonly Command[];
  /** Commands for another terminal, with their expected output. */
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
 * Reads a quick start. A code block with a file name after the language is a file. JSON without one is only shown. The last
 * command before the first `curl` starts the server.
 *
 * @throws Error if the page starts no server, or if a code block names no file
 */
export function readQuickStart(page: Page): QuickStart {
  const blocks = blocksOf(page, "console", "js", "json", "sh", "ts").filter(
    ({ info: [language, word] }) => word !== "fragment" && (language !== "json" || word !== undefined),
  );
  const actions = blocks.flatMap(actionsOf);
  const first = actions.findIndex((action) => "input" in action && action.input.startsWith("$ curl "));
  const before = actions.slice(0, first).map((action) => ("input" in action ? toCommand(action) : action));
  const server = before.pop();
  if (server === undefined || !("command" in server))
    throw new Error(`${page.path} has no command that starts a server before the first curl`);
  const session = actions.slice(first).filter((action) => "input" in action);
  return { preparation: before, servers: [server], session };
}

/**
 * Reads one task of a page: a section in which `server` marks the blocks of commands that keep running, and the blocks before
 * them are the preparation. Without such a block, it is everything up to the last file.
 */
export function readTask(section: Page): QuickStart {
  const blocks = blocksOf(section, "console", "js");
  const isServer = ({ info }: Block): boolean => info[1] === "server";
  const first = blocks.findIndex(isServer);
  const start = first === -1 ? blocks.findLastIndex(({ info }) => info[0] === "js") + 1 : first;
  const preparation = blocks.slice(0, start).flatMap(actionsOf);
  const steps = (some: readonly Block[]): Step[] => some.flatMap(({ text }) => stepsOf(text));
  return {
    preparation: preparation.map((action) => ("input" in action ? toCommand(action) : action)),
    servers: steps(blocks.filter(isServer)).map(toCommand),
    session: steps(blocks.slice(start).filter((block) => !isServer(block))),
  };
}

function actionsOf({ place, info, text }: Block): readonly (Step | SourceFile)[] {
  if (info[0] === "console") return stepsOf(text);
  if (info[0] === "sh") return stepsOf(text.replaceAll(/^/gm, "$ "));
  const [, path] = /^\[(.+)\]$/.exec(info[1] ?? "") ?? [];
  if (path === undefined)
    throw new Error(`${place} has no file name after the language: write [server.ts], for example`);
  return [{ path, text }];
}

function toCommand({ input }: Step): Command {
  return { command: input.slice("$ ".length) };
}

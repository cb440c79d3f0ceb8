import { expect, vi } from "vitest";
import { inTheFormOf, type Reply, type Step } from "../../docs/steps.js";
import { freePort } from "../../support/free-port.js";
import type { QuickStart } from "./quick-start.js";
import type { Terminal } from "./terminal.js";

/** The port that all pages use. */
const SHOWN_PORT = "3000";

/** Follows a quick start or the guide on a free port, and checks that the output of every command matches the page. */
export async function follow(
  { preparation, servers, session }: QuickStart,
  terminal: Terminal,
): Promise<void> {
  const port = await freePort();
  const here = (text: string): string => text.replaceAll(SHOWN_PORT, String(port));
  for (const action of preparation) {
    if ("path" in action) terminal.write(action.path, here(action.text));
    else await terminal.run(action.command);
  }
  for (const { command } of servers) terminal.start(here(command), port);
  if (servers.length > 0) await terminal.listening(port);
  await runSession(session, terminal, here);
}

async function runSession(
  session: readonly Step[],
  terminal: Terminal,
  here: (text: string) => string,
): Promise<void> {
  const names = new Map<string, string>();
  let isLater = false;
  for (const { input, shown } of session) {
    if (input === "# a moment later") {
      isLater = true;
      continue;
    }
    const check = async (): Promise<void> => {
      // A real id may contain the digits of the shown port.
      const output = await terminal.run(withRealIds(here(input.slice("$ ".length)), names));
      // A command whose output is not on the page only has to succeed.
      if (shown.join("") === "") return;
      expect(inTheFormOf(shown, readReply(asShown(output, shown.join("\n"), names))), input).toEqual(shown);
    };
    // `expect.poll` would need the test, of which several run at the same time.
    await (isLater ? vi.waitFor(check) : check());
    isLater = false;
  }
}

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** Replaces the ids that the page shows in a command with the real ones, as far as they are known. */
function withRealIds(command: string, names: ReadonlyMap<string, string>): string {
  return command.replace(ID, (shown) => [...names].find(([, name]) => name === shown)?.[0] ?? shown);
}

/** Replaces real ids and times in an output with those of the page. A new id gets the next unused id of the page. */
function asShown(output: string, shown: string, names: Map<string, string>): string {
  const used = [...names.values()];
  const unused = [...new Set(shown.match(ID))].filter((name) => !used.includes(name));
  const [time = ""] = shown.match(TIME) ?? [];
  return output.replace(TIME, time).replace(ID, (id) => {
    const name = names.get(id) ?? unused.shift() ?? id;
    names.set(id, name);
    return name;
  });
}

/** Parses the output of `curl`, with or without `-i`. */
function readReply(output: string): Reply {
  if (!output.startsWith("HTTP/")) return { statusLine: "", field: () => undefined, body: output };
  const [head = "", body = ""] = output.split("\r\n\r\n");
  const [statusLine = "", ...lines] = head.split("\r\n");
  const fields = new Map(
    lines.map((line) => [line.split(":", 1)[0]?.toLowerCase(), line.replace(/^[^:]*: */, "")]),
  );
  return { statusLine, field: (name) => fields.get(name), body };
}

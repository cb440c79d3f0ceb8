import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect } from "vitest";
import { inTheFormOf, type Reply, type Step } from "../../docs/steps.js";
import type { QuickStart } from "./quick-start.js";
import type { Terminal } from "./terminal.js";

/** The port of all pages. */
const SHOWN_PORT = "3000";

const PATIENCE_MS = 20_000;

/** Does what a quick start says, at a free port in place of its own, and expects to see what it shows. */
export async function follow(
  { preparation, server, session }: QuickStart,
  terminal: Terminal,
): Promise<void> {
  const port = await freePort();
  const here = (text: string): string => text.replaceAll(SHOWN_PORT, String(port));
  for (const action of preparation) {
    if ("path" in action) terminal.write(action.path, here(action.text));
    else await terminal.run(action.command);
  }
  await terminal.serve(here(server.command), port);
  await converse(session, terminal, here);
}

async function converse(
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
    const look = async (): Promise<readonly string[]> => {
      const output = await terminal.run(here(actual(input.slice("$ ".length), names)));
      return inTheFormOf(shown, readReply(asShown(output, shown.join("\n"), names)));
    };
    if (isLater) await expect.poll(look, { timeout: PATIENCE_MS, message: input }).toEqual(shown);
    else expect(await look(), input).toEqual(shown);
    isLater = false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** A command with the ids that there really are, as far as they are known by now. */
function actual(command: string, names: ReadonlyMap<string, string>): string {
  return command.replace(ID, (shown) => [...names].find(([, name]) => name === shown)?.[0] ?? shown);
}

/** An output with the ids and the time that are shown. An id that is new is called by the next name that is new. */
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

/** The output of `curl`, with `-i` or without. */
function readReply(output: string): Reply {
  if (!output.startsWith("HTTP/")) return { statusLine: "", field: () => undefined, body: output };
  const [head = "", body = ""] = output.split("\r\n\r\n");
  const [statusLine = "", ...lines] = head.split("\r\n");
  const fields = new Map(
    lines.map((line) => [line.split(":", 1)[0]?.toLowerCase(), line.replace(/^[^:]*: */, "")]),
  );
  return { statusLine, field: (name) => fields.get(name), body };
}

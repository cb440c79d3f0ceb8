import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { root } from "./built.js";
import { collectLines } from "./lines.js";

const { DATABASE_URL: _, ...env } = process.env;

/** The console as the command serves it. */
interface ConsoleProcess {
  /** Address that it prints. */
  readonly url: URL;
  /** Sends Ctrl-C, and resolves to the exit code. */
  stop(): Promise<number | null>;
}

/** Starts the command for the console. Rejects with what it prints if it refuses. */
export async function startConsole(...args: string[]): Promise<ConsoleProcess> {
  const child = spawn(process.execPath, [join(root, "dist/cli.js"), "console", ...args], { env });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = [collectLines(child.stdout), collectLines(child.stderr)];
  const line = await Promise.any(lines.map((each) => each.find((text) => /http:|^[A-Z_]+:/.test(text))));
  if (!line.includes("http:")) throw new Error(line);
  return {
    url: new URL(/http:\S+/.exec(line)?.[0] ?? ""),
    stop: async () => {
      child.kill("SIGINT");
      const [code] = (await once(child, "exit")) as [number | null];
      return code;
    },
  };
}

/** Logs in. Returns the functions that call the console. */
export async function logIn(url: URL) {
  const reply = await fetch(url, { redirect: "manual" });
  expect([reply.status, reply.headers.get("location")]).toEqual([303, "/console/"]);
  const cookie = reply.headers.get("set-cookie") ?? "";
  expect(cookie).toMatch(/^[\w-]+=\w+; Path=\/; HttpOnly; SameSite=Strict$/);
  const headers = { cookie: cookie.split(";")[0] ?? "" };
  return {
    get: (path: string) => fetch(new URL(`/console/${path}`, url), { headers }),
    post: (path: string) =>
      fetch(new URL(`/console/${path}`, url), {
        method: "POST",
        headers: { ...headers, "content-type": "application/json", "sec-fetch-site": "same-origin" },
        body: "{}",
      }),
  };
}

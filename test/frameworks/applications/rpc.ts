import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "vitest";
import { programOf } from "../../runtimes/matrix.js";
import { filesOf } from "../sections.js";
import type { Application, Behavior, Mounted } from "./application.js";
import { oldest } from "./runtimes.js";

const files = filesOf("docs/rpc.md");

const videos: Mounted = {
  path: "/videos",
  body: '{"file":"cat.mov"}',
  repeatedMember: '{"file":"dog.mov","file":"cat.mov"}',
  result: { url: "https://cdn.example/cat.mov.mp4" },
};

/** Runs the client of the page. */
function client(name: string, shown: RegExp): Behavior {
  return {
    name: "hands the operation to the client, which reads the result",
    run: async ({ folder }) => {
      const { stdout } = await promisify(execFile)(programOf(oldest), [`${name}-client.js`], { cwd: folder });
      expect(stdout).toMatch(shown);
    },
  };
}

interface Call {
  readonly path: string;
  body(input: object): string;
}

/** Calls the procedure as the protocol of the framework wants it. */
function calls({ path, body }: Call): Behavior[] {
  const call = (server: Parameters<Behavior["run"]>[0], input: object, token = "Bearer demo-token") =>
    server.fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: token },
      body: body(input),
    });
  return [
    {
      name: "returns the same operation for the same key, and refuses another input with it",
      run: async (server) => {
        const dog = { key: "dog", file: "dog.mov" };
        const [first, again] = [await call(server, dog), await call(server, dog)];
        const text = await first.text();
        expect([first.status, text]).toEqual([200, expect.stringContaining('"location":"/operations/')]);
        expect(await again.text()).toBe(text);
        const refused = await call(server, { ...dog, file: "cat.mov" });
        expect([refused.status, await refused.text()]).toEqual([
          409,
          expect.stringContaining("not accepted"),
        ]);
      },
    },
    {
      name: "refuses calls without a user",
      run: async (server) => {
        expect((await call(server, { key: "dog", file: "dog.mov" }, "Bearer unknown")).status).toBe(401);
      },
    },
  ];
}

const common = { files, runtime: oldest, mounted: videos, endsWith: 0 } as const;

export const trpc: Application = {
  ...common,
  name: "tRPC",
  serve: ["trpc.js"],
  own: [
    client("trpc", /^https:\/\/cdn\.example\/cat\.mov\.mp4\n$/),
    ...calls({ path: "/trpc/convert", body: (input) => JSON.stringify(input) }),
  ],
};

export const orpc: Application = {
  ...common,
  name: "oRPC",
  serve: ["orpc.js"],
  own: [
    client("orpc", /"status":"completed".*cat\.mov\.mp4/),
    ...calls({ path: "/rpc/convert", body: (input) => JSON.stringify({ json: input }) }),
  ],
};

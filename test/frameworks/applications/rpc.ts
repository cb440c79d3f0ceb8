import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "vitest";
import { programOf } from "../../runtimes/matrix.js";
import { submit } from "../behaviors.js";
import { exampleFiles } from "../sections.js";
import type { Server } from "../server.js";
import { application, type Behavior, type Mounted, oldest } from "./application.js";

const files = exampleFiles("examples/rpc");

const videos: Mounted = {
  path: "/videos",
  body: '{"file":"cat.mov"}',
  repeatedMember: '{"file":"dog.mov","file":"cat.mov"}',
  result: { url: "https://cdn.example/cat.mov.mp4" },
};

/** Runs the client of the example. */
function client(name: string, shown: RegExp): Behavior {
  return {
    name: "hands the operation to the client, which reads the result",
    run: async ({ folder }) => {
      const { stdout } = await promisify(execFile)(programOf(oldest), [`${name}-client.js`], { cwd: folder });
      expect(stdout).toMatch(shown);
    },
  };
}

/** Calls the procedure at a path as the protocol of the framework wants it. */
function calls(path: string, toBody: (input: object) => object): Behavior[] {
  const call = (server: Server, input: object, fields = {}) =>
    submit(server, path, JSON.stringify(toBody(input)), fields);
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
        const replied = [refused.status, await refused.text()];
        expect(replied).toEqual([409, expect.stringContaining("not accepted")]);
      },
    },
    {
      name: "refuses calls without a user",
      run: async (server) => {
        const fields = { authorization: "Bearer unknown" };
        expect((await call(server, { key: "dog", file: "dog.mov" }, fields)).status).toBe(401);
      },
    },
  ];
}

export const trpc = application({
  name: "tRPC",
  files,
  serve: ["trpc.js"],
  mounted: videos,
  own: [
    client("trpc", /^https:\/\/cdn\.example\/cat\.mov\.mp4\n$/),
    ...calls("/trpc/convert", (input) => input),
  ],
});

export const orpc = application({
  name: "oRPC",
  files,
  serve: ["orpc.js"],
  mounted: videos,
  own: [
    client("orpc", /"status":"completed".*cat\.mov\.mp4/),
    ...calls("/rpc/convert", (input) => ({ json: input })),
  ],
});

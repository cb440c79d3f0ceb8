import { expect, it } from "vitest";
import { follow } from "./follow.js";
import type { Terminal } from "./terminal.js";

it("asks for a real id as it is, also if it contains the digits of the shown port", async () => {
  const id = "01a223f5-3000-73f1-953d-41a6a251de0c";
  const commands: string[] = [];
  const terminal: Terminal = {
    write: () => {},
    run: (command) => {
      commands.push(command);
      return Promise.resolve(`{"operationId":"${id}"}`);
    },
    start: () => {},
    listening: () => Promise.resolve(),
    stop: () => Promise.resolve([]),
    close: () => Promise.resolve(),
  };
  const shown = "01a1fb0e-5781-7461-97e0-78a248067be3";
  const session = [
    { input: "$ curl localhost:3000/orders", shown: [`{"operationId":"${shown}"}`] },
    { input: `$ curl localhost:3000/operations/${shown}`, shown: [""] },
  ];

  await follow({ preparation: [], servers: [], session }, terminal);

  expect(commands[1]).toMatch(new RegExp(`^curl localhost:\\d+/operations/${id}$`));
});

import { problemType } from "async-request-reply/ports";
import { expect, it } from "vitest";
import { startServer } from "../support/orders-server-process.js";
import { type ShortExample, sendCommand } from "./short-example.js";
import { startForTest } from "./start-for-test.js";

/** The parts of the contract that differ between the examples. */
export interface Contract {
  /** A well-formed body that violates the contract, and the pointers of its violations. */
  readonly refused: { readonly body: string; readonly pointers: readonly string[] };
  /** A body with a repeated name, which a parser in front of the service would accept. */
  readonly repeatedName: string;
}

/** Declares the tests that every short example must pass. */
export function declareContract(
  { name, send, client }: ShortExample,
  { refused, repeatedName }: Contract,
): void {
  it("answers its own command with 202, and completes the work", async () => {
    const response = await send();
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({ status: "pending" });
    const location = response.headers.get("location") ?? "";
    expect(location).toMatch(/^\/operations\/[0-9a-f-]{36}$/);
    expect(await client().settled(location)).toMatchObject({ status: "completed" });
  });

  it("replays the operation when the command is repeated", async () => {
    const [first, second] = [await send({ key: "again" }), await send({ key: "again" })];
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect(second.headers.get("location")).toBe(first.headers.get("location"));
  });

  it("refuses a violation of the contract, and reports its pointer", async () => {
    const response = await send({ body: refused.body, key: undefined });
    expect(response.status).toBe(422);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(await response.json()).toMatchObject({
      type: problemType("contract-violation"),
      errors: refused.pointers.map((pointer) => ({ pointer })),
    });
  });

  it("passes the unparsed bytes to the service, so that a repeated name is refused", async () => {
    const response = await send({ body: repeatedName, key: undefined });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: problemType("malformed-body") });
  });

  it("finishes running work on SIGTERM, and exits with 0", async () => {
    const server = await startForTest({}, (variables) => startServer(variables, name));
    const response = await sendCommand(`${name}/server.ts`, server.baseUrl);
    expect(response.status).toBe(202);
    await server.stdout.find((line) => line.includes("operation.started"));
    server.signal("SIGTERM");
    const { code, stdout } = await server.exited;
    expect(code).toBe(0);
    expect(stdout.join("\n")).toContain("operation.completed");
  });
}

/** The contract of examples that take orders. */
export const orderContract: Contract = {
  refused: { body: '{"quantity":0,"colour":"red"}', pointers: ["#/itemId", "#/quantity", "#/colour"] },
  repeatedName: '{"itemId":"book","quantity":1,"quantity":2}',
};

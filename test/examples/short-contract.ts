import { problemType } from "async-request-reply";
import { expect, it, onTestFinished } from "vitest";
import { startServer } from "./server-process.js";
import { type ShortExample, sendCommand } from "./short-example.js";

/** What of the contract depends on the example. */
export interface Contract {
  /** A body that is well formed and against the contract, and where. */
  readonly refused: { readonly body: string; readonly pointers: readonly string[] };
  /** A body in which a name is repeated: a parser before the service would have taken it. */
  readonly repeatedName: string;
}

/** Declares the tests of what every short example does, whatever it shows besides. */
export function declareContract(
  { name, send, client }: ShortExample,
  { refused, repeatedName }: Contract,
): void {
  it("answers its own command with 202, and sees the work through", async () => {
    const response = await send();
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({ status: "pending" });
    const location = response.headers.get("location") ?? "";
    expect(location).toMatch(/^\/operations\/[0-9a-f-]{36}$/);
    expect(await client().settled(location)).toMatchObject({ status: "completed" });
  });

  it("answers the command with the same operation when it comes again", async () => {
    const [first, second] = [await send({ key: "again" }), await send({ key: "again" })];
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect(second.headers.get("location")).toBe(first.headers.get("location"));
  });

  it("refuses what is against the contract, and points at it", async () => {
    const response = await send({ body: refused.body, key: undefined });
    expect([response.status, response.headers.get("content-type")]).toEqual([
      422,
      "application/problem+json",
    ]);
    expect(await response.json()).toMatchObject({
      type: problemType("contract-violation"),
      errors: refused.pointers.map((pointer) => ({ pointer })),
    });
  });

  it("gets the bytes as they were sent, so that a repeated name is refused", async () => {
    const response = await send({ body: repeatedName, key: undefined });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: problemType("malformed-body") });
  });

  it("finishes at SIGTERM what has begun, and exits with 0", async () => {
    const server = await startServer({}, name);
    onTestFinished(() => server.kill());
    const response = await sendCommand(`${name}/server.ts`, server.baseUrl);
    expect(response.status).toBe(202);
    await server.stdout.find((line) => line.includes("operation.started"));
    server.signal("SIGTERM");
    const { code, stdout } = await server.exited;
    expect(code).toBe(0);
    expect(stdout.join("\n")).toContain("operation.completed");
  });
}

/** The contract where the example takes orders. */
export const orderContract: Contract = {
  refused: { body: '{"quantity":0,"colour":"red"}', pointers: ["#/itemId", "#/quantity", "#/colour"] },
  repeatedName: '{"itemId":"book","quantity":1,"quantity":2}',
};

import { createOrderService } from "async-request-reply";
import { expect, it } from "vitest";
import { logIn, startConsole } from "../../support/console-command.js";
import { addressOfServer, describePostgres } from "../../support/postgres/server.js";

await describePostgres("the command for the console", (server) => {
  it("serves the console of a schema, and creates none", async () => {
    const schema = server.newSchema();
    const address = addressOfServer();
    await expect(startConsole(address, "--schema", schema)).rejects.toThrow(/Call `backend.migrate\(\)`/);
    const backend = server.openOwn({ schema });
    const service = createOrderService({ backend, observe: false });
    const [orders] = service.definitions;
    const { operationId } = await service.submit(orders, { itemId: "pen", quantity: 2 }, { tenant: "acme" });
    const { url, stop } = await startConsole(address, "--schema", schema);
    const { get } = await logIn(url);
    expect(await (await get(`api/operations/${operationId}`)).json()).toMatchObject({
      operation: { tenant: "acme" },
    });
    expect(await stop()).toBe(0);
  });
});

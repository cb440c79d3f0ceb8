import { expect, it } from "vitest";
import { startForTest } from "./start-for-test.js";

interface Overview {
  readonly stats: readonly {
    readonly definition: string;
    readonly failed: { readonly count: number };
    readonly paused?: object;
  }[];
}

it("fills the console with DEMO=1, and says how to sign in", async () => {
  const { stdout, signal, exited } = await startForTest({ DEMO: "1" });
  const line = await stdout.find((text) => text.startsWith("console on "));
  const [, address = "", password = ""] =
    /^console on (\S+) \(user: any name, password: (\S+)\)$/.exec(line) ?? [];
  const headers = { authorization: `Basic ${btoa(`me:${password}`)}` };
  const get = async <Data>(path: string) =>
    (await (await fetch(`${address}/${path}`, { headers })).json()) as Data;
  const overview = () => get<Overview>("api/overview");
  await expect.poll(async () => (await overview()).stats.some(({ failed }) => failed.count > 0)).toBe(true);
  const { stats } = await overview();
  expect(stats.length).toBeGreaterThanOrEqual(4);
  expect(stats.filter(({ paused }) => paused !== undefined)).toHaveLength(1);
  const { operations } = await get<{ readonly operations: readonly { readonly tenant: string }[] }>(
    "api/operations",
  );
  expect(new Set(operations.map(({ tenant }) => tenant)).size).toBeGreaterThanOrEqual(3);
  signal("SIGTERM");
  expect(await exited).toMatchObject({ code: 0 });
});

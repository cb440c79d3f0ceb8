import { afterEach, describe, expect, it, vi } from "vitest";
import { createSystemRuntime } from "../../src/platform/system-runtime.js";

const SHA256_OF_ABC = "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0";

afterEach(() => vi.unstubAllGlobals());

describe("the system runtime", () => {
  it("creates different ids, each a UUID version 7, in order of time", () => {
    const { newId } = createSystemRuntime();
    const ids = Array.from({ length: 2_000 }, newId);
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(ids).size).toBe(ids.length);
    const times = ids.map((id) => id.slice(0, 13));
    expect(times).toEqual([...times].sort());
  });

  it("does not run a task immediately if its delay is longer than timers support", async () => {
    const { clock } = createSystemRuntime();
    let ran = false;
    const cancel = clock.schedule(2 ** 31, () => {
      ran = true;
    });
    await new Promise<void>((resolve) => clock.schedule(5, resolve));
    cancel();
    expect(ran).toBe(false);
  });

  it("creates ids that sort in the order of their creation", () => {
    const { newId } = createSystemRuntime();
    const ids = Array.from({ length: 20_000 }, newId);
    expect(ids).toEqual([...new Set(ids)].sort());
  });

  it("creates different tokens of 128 random bits", () => {
    const { newToken } = createSystemRuntime();
    const tokens = Array.from({ length: 2_000 }, newToken);
    for (const token of tokens) expect(token).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(tokens).size).toBe(tokens.length);
  });

  it("hashes with SHA-256 in base64url, synchronously if the platform supports it", () => {
    expect(createSystemRuntime().hash("abc")).toBe(SHA256_OF_ABC);
  });

  it("returns the same hash with only WebCrypto", async () => {
    vi.stubGlobal("process", undefined);
    const digest = createSystemRuntime().hash("abc");
    vi.unstubAllGlobals();
    expect(digest).toBeInstanceOf(Promise);
    expect(await digest).toBe(SHA256_OF_ABC);
  });
});

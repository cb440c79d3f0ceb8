import { describe, expect, it } from "vitest";
import { createObjectsStage } from "../support/objects-stage.js";

const HOUR = 3_600_000;

describe("the alarm of an object", () => {
  it("is at most a day ahead while it keeps operations, and rings once a day for a retention of a week", async () => {
    const { call, advance, object, clock } = createObjectsStage();
    await call("ada", "/kept", {});
    await advance(2 * HOUR);
    const { storage } = object("ada");
    const before = object("ada").alarms;
    const ahead = (storage.alarmAt ?? Number.POSITIVE_INFINITY) - clock.now();
    expect(ahead).toBeGreaterThan(HOUR);
    expect(ahead).toBeLessThanOrEqual(24 * HOUR);
    await advance(72 * HOUR);
    expect(object("ada").alarms - before).toBe(3);
  });

  it("is set by any request if it is missing, and finishes work that nothing else would", async () => {
    const { call, advance, object, evict } = createObjectsStage();
    const accepted = await call("ada", "/reports", {});
    // The platform gave the alarm up after too many failures, and the object was evicted before it worked.
    evict("ada");
    object("ada").storage.alarmAt = null;
    const path = accepted.headers.get("location") ?? "";
    expect((await call("ada", path)).status).toBe(200);
    expect(object("ada").storage.alarmAt).not.toBeNull();
    await advance(HOUR);
    expect(await (await call("ada", path)).json()).toMatchObject({ status: "completed" });
  });
});

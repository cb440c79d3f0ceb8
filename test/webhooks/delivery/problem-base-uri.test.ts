import { describe, expect, it } from "vitest";
import { announce, openStage } from "../stage.js";

const BASE = "https://docs.example.com/problems/";

describe("the error in a webhook has its name and the `problemBaseUri`", () => {
  it.each([
    ["of the service, from a worker that was created from it", true, BASE],
    ["that was passed to the worker of another process", false, BASE],
    ["of the package, unless another one is set", false, undefined],
  ])("%s", async (_, deliver, problemBaseUri) => {
    const stage = await openStage({}, { deliver, ...(problemBaseUri && { problemBaseUri }) });
    const id = await announce(stage, "refuse");
    if (!deliver) await stage.workAsDeliverer(1_000);
    const shown = await stage.service.handle({ method: "GET", path: `/operations/${id}`, headers: {} });
    const { error } = JSON.parse(String(shown.body)) as { readonly error: object };
    const base = problemBaseUri ?? "https://www.npmjs.com/package/async-request-reply#";
    expect(error).toMatchObject({ type: `${base}work-failed`, name: "work-failed" });
    const [webhook] = stage.receiver.received;
    expect(JSON.parse(String(webhook?.body))).toMatchObject({ data: { operationId: id, error } });
  });
});

import { describe, expect, it, onTestFinished } from "vitest";
import { createStage } from "../../support/webhooks/stage.js";

const BASE = "https://docs.example.com/problems/";

describe("the error in a webhook has its name and the `problemBaseUri`", () => {
  it.each([
    ["of the service, from a worker that was created from it", true, BASE],
    ["that was passed to the worker of another process", false, BASE],
    ["of the package, unless another one is set", false, undefined],
  ])("%s", async (_, deliver, problemBaseUri) => {
    const stage = await createStage(
      {},
      { deliver, ...(problemBaseUri === undefined ? {} : { problemBaseUri }) },
    );
    onTestFinished(() => stage.close());
    const id = await stage.submit("refuse");
    await stage.work();
    if (!deliver) await stage.workAsDeliverer(1_000);
    const shown = await stage.service.handle({ method: "GET", path: `/operations/${id}`, headers: {} });
    const { error } = JSON.parse(String(shown.body)) as { readonly error: object };
    const base = problemBaseUri ?? "https://www.npmjs.com/package/async-request-reply#";
    expect(error).toMatchObject({ type: `${base}work-failed`, name: "work-failed" });
    const [webhook] = stage.receiver.received;
    expect(JSON.parse(String(webhook?.body))).toMatchObject({ data: { operationId: id, error } });
  });
});

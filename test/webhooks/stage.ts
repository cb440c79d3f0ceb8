import { onTestFinished } from "vitest";
import { createStage, type WebhookStage } from "../support/webhooks/stage.js";

/** Creates a stage that closes when the test has ended. */
export async function openStage(...options: Parameters<typeof createStage>): Promise<WebhookStage> {
  const stage = await createStage(...options);
  onTestFinished(() => stage.close());
  return stage;
}

/** Submits work, runs it, and sends the webhook that announces its end. Returns the id of its operation. */
export async function announce(
  stage: WebhookStage,
  ...request: Parameters<WebhookStage["submit"]>
): Promise<string> {
  const operationId = await stage.submit(...request);
  await stage.work();
  return operationId;
}

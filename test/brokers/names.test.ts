import type { Queue } from "async-request-reply";
import type { Announcement, Delivery } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import { receiveOnce } from "../support/consumers.js";
import { useBroker } from "./harnesses.js";
import { nats } from "./nats.js";
import { rabbitmq } from "./rabbitmq.js";

const ID = "01900000-0000-7000-8000-000000000001";

function announcementOf(definition: string): Announcement {
  return { version: 1, id: `${ID}.a`, operationId: ID, definition };
}

function receive(queue: Queue, definition: string): Promise<readonly Delivery[]> {
  return receiveOnce(queue, { definitions: [definition], limit: 1, signal: AbortSignal.timeout(20_000) });
}

// Each `.` takes 3 bytes. RabbitMQ counts the prefix and the dot after it too.
describe.each([
  [rabbitmq, "p".repeat(54), "a".repeat(50) + ".".repeat(50)],
  [nats, "names", "a".repeat(21) + ".".repeat(78)],
] as const)("a definition on $name", (broker, name, longest) => {
  const { client } = useBroker(broker);

  it("can have a queue with a name of 255 bytes", async () => {
    const queue = client().createQueue({ name });
    await queue.publish([announcementOf(longest)]);
    const [delivery] = await receive(queue, longest);
    expect(delivery?.announcement).toEqual(announcementOf(longest));
    await delivery?.ack();
    await queue.close();
  });

  it("is refused if the name would be longer, with what to do", async () => {
    const queue = client().createQueue({ name });
    const tooLong = longest.replace("a", ".");
    const refusal = {
      code: "INVALID_OPTION",
      message: expect.stringMatching(
        /needs a name of 257 bytes at \w+, which allows 255\. Use a shorter name/,
      ),
    };
    await expect(queue.publish([announcementOf(tooLong)])).rejects.toMatchObject(refusal);
    await expect(receive(queue, tooLong)).rejects.toMatchObject(refusal);
    await queue.close();
  });
});

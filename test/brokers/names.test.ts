import { describe, expect, it } from "vitest";
import { startListener, useBroker } from "./harnesses.js";
import { nats } from "./nats.js";
import { rabbitmq } from "./rabbitmq.js";

// Each `.` takes 3 bytes. RabbitMQ counts the prefix and the dot after it too.
describe.each([
  [rabbitmq, "p".repeat(54), "a".repeat(50) + ".".repeat(50)],
  [nats, "names", "a".repeat(21) + ".".repeat(78)],
] as const)("a definition on $name", (broker, name, longest) => {
  const { newQueue } = useBroker(broker);

  it("can have a queue with a name of 255 bytes", async () => {
    const queue = newQueue({ name });
    const listener = startListener(queue, longest);
    await queue.publish([{ definition: longest }]);
    await expect.poll(listener.rings).toBe(1);
  });

  it("is refused if the name would be longer, with what to do", async () => {
    const queue = newQueue({ name });
    const tooLong = longest.replace("a", ".");
    const why = /needs a name of 257 bytes at \w+, which allows 255\. Use a shorter name/;
    const refusal = { code: "INVALID_OPTION", message: expect.stringMatching(why) };
    await expect(queue.publish([{ definition: tooLong }])).rejects.toMatchObject(refusal);
    const { errors } = startListener(queue, tooLong);
    await expect.poll(() => errors).toMatchObject([refusal]);
  });
});

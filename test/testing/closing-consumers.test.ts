import type { Queue } from "async-request-reply";
import type { Delivery } from "async-request-reply/ports";
import { queueCases } from "async-request-reply/testing";
import { memoryQueue } from "../support/memory-harnesses.js";
import { runSuite } from "../support/run-suite.js";
import { overriding } from "./broken/prove.js";

/** A queue like a channel of a broker: a consumer that closes gives unanswered deliveries back, and knows them no more. */
function givingBack(queue: Queue): Queue {
  return overriding(queue, {
    consume: (request) => {
      const consumer = queue.consume(request);
      const open = new Set<Delivery>();
      let isClosed = false;
      const answered = async (delivery: Delivery, answer: "ack" | "nack"): Promise<void> => {
        if (isClosed) throw new Error("The channel is closed.");
        open.delete(delivery);
        await delivery[answer]();
      };
      return {
        receive: async (call) => {
          if (isClosed) throw new Error("The channel is closed.");
          const received = await consumer.receive(call);
          for (const delivery of received) open.add(delivery);
          return received.map((delivery) => ({
            announcement: delivery.announcement,
            ack: () => answered(delivery, "ack"),
            nack: () => answered(delivery, "nack"),
          }));
        },
        close: async () => {
          isClosed = true;
          for (const delivery of open) await delivery.nack();
          await consumer.close();
        },
      };
    },
  });
}

runSuite("a queue whose closed consumers give deliveries back", queueCases, memoryQueue(givingBack));

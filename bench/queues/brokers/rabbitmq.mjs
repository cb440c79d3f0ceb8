import { connect } from "amqplib";
import { createRabbitmqQueue } from "../../../dist/rabbitmq.js";

const QUEUE = "orders";
const open = (url) => connect(url, { recovery: true, noDelay: true });

/** Opens the queue of the product. */
export async function openQueue(url) {
  const connection = await open(url);
  return { queue: createRabbitmqQueue({ connection }), close: () => connection.close() };
}

/** Publishes by hand: persistent messages, each confirmed by the broker. */
export async function openPublisher(url) {
  const connection = await open(url);
  const channel = await connection.createConfirmChannel();
  await declare(channel);
  return {
    publish: (id) =>
      new Promise((resolve, reject) => {
        channel.sendToQueue(QUEUE, Buffer.from(id), { persistent: true }, (error) =>
          error ? reject(error) : resolve(),
        );
      }),
    close: () => connection.close(),
  };
}

/** Consumes by hand: at most `slots` messages without an acknowledgment. */
export async function openConsumer(url, { slots, work }) {
  const connection = await open(url);
  const channel = await connection.createChannel();
  await declare(channel);
  await channel.prefetch(slots);
  const run = async (message) => {
    await work(message.content.toString());
    channel.ack(message);
  };
  await channel.consume(QUEUE, (message) => void run(message));
  return { close: () => connection.close() };
}

function declare(channel) {
  return channel.assertQueue(QUEUE, { durable: true, arguments: { "x-queue-type": "quorum" } });
}

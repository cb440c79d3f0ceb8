import { AckPolicy, jetstream, RetentionPolicy, StorageType } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { createNatsQueue } from "../../../dist/nats.js";

const STREAM = "by-hand";
const CONSUMER = "orders";
const SUBJECT = `${STREAM}.${CONSUMER}`;
const open = (url) => connect({ servers: url, maxReconnectAttempts: -1 });

/** Opens the queue of the product. */
export async function openQueue(url) {
  const connection = await open(url);
  return {
    queue: createNatsQueue({ jetstream: jetstream(connection) }),
    close: () => connection.close(),
  };
}

/** Publishes by hand: each message is confirmed by the stream, which drops duplicates. */
export async function openPublisher(url) {
  const connection = await open(url);
  const client = jetstream(connection);
  const { streams, consumers } = await client.jetstreamManager();
  await streams.add({
    name: STREAM,
    subjects: [SUBJECT],
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
  });
  await consumers.add(STREAM, {
    durable_name: CONSUMER,
    ack_policy: AckPolicy.Explicit,
    max_ack_pending: -1,
  });
  return {
    publish: (id) => client.publish(SUBJECT, id, { msgID: id }),
    close: () => connection.close(),
  };
}

/** Consumes by hand: the client keeps up to `slots` messages on order. */
export async function openConsumer(url, { slots, work }) {
  const connection = await open(url);
  const consumer = await jetstream(connection).consumers.get(STREAM, CONSUMER);
  const run = async (message) => {
    await work(message.string());
    message.ack();
  };
  await consumer.consume({ max_messages: slots, callback: (message) => void run(message) });
  return { close: () => connection.close() };
}

/** A message that `amqplib` delivers. Each member is part of `Message` there. */
export interface AmqpMessage {
  /** Body of the message. */
  readonly content: Uint8Array;
}

/** Properties of a published message, as `amqplib` takes them. */
export interface AmqpPublishOptions {
  /** Whether the broker writes the message to the disk. */
  readonly persistent: boolean;
  /** Time after which the broker drops the message. Milliseconds, in decimal digits. */
  readonly expiration: string;
  /** Media type of the body. */
  readonly contentType: string;
  /** Kind of message. */
  readonly type: string;
  /** Trace context of the operation, if it is known. */
  readonly headers?: Record<string, string>;
}

/** The methods of a channel of `amqplib` that the queue calls. */
export interface AmqpChannel {
  /** Creates a queue, or checks that it exists with these options. */
  assertQueue(
    queue: string,
    options: { durable: boolean; arguments: Record<string, string> },
  ): Promise<unknown>;
  /** Checks that a queue exists. */
  checkQueue(queue: string): Promise<unknown>;
  /** Limits the unacknowledged messages of each later consumer. */
  prefetch(count: number): Promise<unknown>;
  /** Starts a consumer. `null` means that the broker has ended it. */
  consume(
    queue: string,
    onMessage: (message: AmqpMessage | null) => void,
  ): Promise<{ readonly consumerTag: string }>;
  /** Ends a consumer. */
  cancel(consumerTag: string): Promise<unknown>;
  /** Acknowledges a message. */
  ack(message: AmqpMessage): void;
  /** Gives a message back. */
  nack(message: AmqpMessage, allUpTo: boolean, requeue: boolean): void;
  /** Calls `listener` when the channel is closed. */
  on(event: "close", listener: () => void): unknown;
  /** Calls `listener` when the broker closes the channel because of a mistake. */
  on(event: "error", listener: (error: Error) => void): unknown;
  /** Closes the channel. */
  close(): Promise<void>;
}

/** A channel of `amqplib` that confirms published messages. */
export interface AmqpConfirmChannel extends AmqpChannel {
  /** Publishes a message to a queue and calls back when the broker has confirmed or refused it. */
  sendToQueue(
    queue: string,
    content: Uint8Array,
    options: AmqpPublishOptions,
    callback: (error: unknown) => void,
  ): boolean;
}

/**
 * Connection of `amqplib` 2. Create it with `connect(url, { recovery: true })`, so that it connects again when it is
 * lost.
 */
export interface AmqpConnection {
  /** Opens a channel. */
  createChannel(): Promise<AmqpChannel>;
  /** Opens a channel that confirms published messages. */
  createConfirmChannel(): Promise<AmqpConfirmChannel>;
}

import type { Consumer, Delivery, Queue } from "./queue.js";
import { createRecentTokens } from "./recent-tokens.js";

/**
 * Creates a queue whose messages are tickets: each lets the worker begin the operation of its definition whose turn it is,
 * even if the message names another one. So the store decides the order, not the queue of the messages.
 */
export function createTicketQueue(
  messages: Queue,
  consumeByTicket: NonNullable<Queue["consumeByTicket"]>,
): Queue {
  return {
    publish: (announcements) => messages.publish(announcements),
    consume: (request) => createTicketConsumer(messages.consume(request), consumeByTicket(request)),
    // For a back end whose queue is replaced once more.
    consumeByTicket,
    close: () => messages.close(),
  };
}

function createTicketConsumer(tickets: Consumer, work: Consumer): Consumer {
  const asked = createRecentTokens();
  return {
    receive: async (request) => {
      const { token } = request;
      // Attempts that began although the answer was lost do not wait for another ticket.
      if (asked.has(token)) {
        const begun = await work.receive(request);
        if (begun.length > 0) return begun;
      }
      const received = await tickets.receive(request);
      if (received.length === 0) return received;
      asked.add(token);
      try {
        const slots = countByDefinition(received);
        const begun = await work.receive({ ...request, slots, limit: received.length });
        return [...begun, ...useTickets(received, begun)];
      } catch (error) {
        // A ticket that cannot be returned comes again by itself.
        await Promise.allSettled(received.map((ticket) => ticket.nack()));
        throw error;
      }
    },
    close: async () => {
      try {
        await tickets.close();
      } finally {
        await work.close();
      }
    },
  };
}

/**
 * Acks one ticket for each operation, and returns the others. They name operations that have begun elsewhere, have ended, or
 * have no place. The worker finds out which.
 */
function useTickets(tickets: readonly Delivery[], begun: readonly Delivery[]): readonly Delivery[] {
  const ids = new Set(begun.map(({ announcement }) => announcement.operationId));
  const left = countByDefinition(begun);
  const isOwn = ({ announcement }: Delivery): boolean => ids.has(announcement.operationId);
  const ownFirst = [...tickets.filter(isOwn), ...tickets.filter((ticket) => !isOwn(ticket))];
  return ownFirst.filter((ticket) => {
    const { definition } = ticket.announcement;
    const count = left.get(definition) ?? 0;
    if (count === 0) return true;
    left.set(definition, count - 1);
    // A lost ack is harmless: the ticket comes again, and nothing is left to begin.
    ticket.ack().catch(() => {});
    return false;
  });
}

function countByDefinition(deliveries: readonly Delivery[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { announcement } of deliveries)
    counts.set(announcement.definition, (counts.get(announcement.definition) ?? 0) + 1);
  return counts;
}

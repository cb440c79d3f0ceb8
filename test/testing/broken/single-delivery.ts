import type { Queue } from "async-request-reply";

/** A listener of a queue that gives each ring to one. */
interface Member {
  readonly onRing: () => void;
  wanted: ReadonlySet<string>;
  /** Definitions of the rings that it has heard since it last said what it wants. */
  readonly heard: Set<string>;
}

/** Members of the queues of all processes, by the server. */
const groups = new WeakMap<Queue, Set<Member>>();

/**
 * Returns the methods of a queue that gives each ring to one listener, by turns.
 *
 * @param handsOn Whether it rings for another listener if the first one now wants these definitions.
 */
export function singleDelivery(
  server: Queue,
  handsOn: (definition: string, wanted: ReadonlySet<string>) => boolean,
): Pick<Queue, "publish" | "listen"> {
  const members = groups.get(server) ?? new Set();
  groups.set(server, members);

  function deliver(definition: string): void {
    const member = [...members].find(({ wanted }) => wanted.has(definition));
    if (member === undefined) return;
    // The others have their turn first.
    members.delete(member);
    members.add(member);
    member.heard.add(definition);
    member.onRing();
  }

  return {
    publish: async (rings) => {
      for (const { definition } of rings) deliver(definition);
    },
    listen: ({ onRing }) => {
      const member: Member = { onRing, wanted: new Set(), heard: new Set() };
      members.add(member);
      return {
        want: (wanted) => {
          const left = [...member.heard].filter((definition) => handsOn(definition, wanted));
          member.heard.clear();
          member.wanted = members.has(member) ? wanted : new Set();
          for (const definition of left) deliver(definition);
        },
        close: async () => void members.delete(member),
      };
    },
  };
}

/** Hands on every ring of a definition that the listener no longer wants, as it must. */
export const handsOnUnwanted = (definition: string, wanted: ReadonlySet<string>): boolean =>
  !wanted.has(definition);

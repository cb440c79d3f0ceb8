/** The last tokens of the receipts of one consumer. */
export interface RecentTokens {
  has(token: string): boolean;
  add(token: string): void;
}

/**
 * Creates a memory of the last two tokens. With one, a call that is made again late would hide that the token after it may
 * have begun attempts.
 */
export function createRecentTokens(): RecentTokens {
  let last: readonly string[] = [];
  return {
    has: (token) => last.includes(token),
    add: (token) => {
      last = [...last.slice(-1), token];
    },
  };
}

/** Start of an attempt, and the worker that ran it. */
export interface AttemptStart {
  /** When the attempt began, by the clock of its worker. Epoch milliseconds. */
  readonly startedAt: number;
  /** Random id of the worker: 8 hexadecimal digits. */
  readonly process: string;
}

/** Lengths of the id of a worker and of the random end of a token, in hexadecimal digits. */
const PROCESS_LENGTH = 8;
const RANDOM_LENGTH = 12;
const TIME_LENGTH = 12;

/** Returns the id of a worker, from a random text. */
export function processOf(random: string): string {
  return random.slice(0, PROCESS_LENGTH);
}

/**
 * Returns a token that tells when its attempts began and which worker runs them. So an attempt costs no write for that. The hyphens
 * tell it from the tokens of older workers, which are random digits.
 */
export function attemptToken({ startedAt, process }: AttemptStart, random: string): string {
  const time = Math.trunc(startedAt).toString(16).padStart(TIME_LENGTH, "0");
  return `${time}-${process}-${random.slice(-RANDOM_LENGTH)}`;
}

/** Reads a token that {@link attemptToken} returned. Returns undefined for any other text, such as a token of an older worker. */
export function readAttemptToken(token: string | undefined): AttemptStart | undefined {
  const [, time, process] = FORM.exec(token ?? "") ?? [];
  if (time === undefined || process === undefined) return undefined;
  return { startedAt: Number.parseInt(time, 16), process };
}

const FORM = /^([0-9a-f]{12})-([0-9a-f]{8})-[0-9a-f]{12}$/;

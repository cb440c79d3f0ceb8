/** An error at startup that the operator can fix. Only its message is printed. */
export class StartError extends Error {}

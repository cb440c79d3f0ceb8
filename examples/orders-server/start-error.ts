/** A reason not to start that the operator can mend: its sentence is all that is shown. */
export class StartError extends Error {}

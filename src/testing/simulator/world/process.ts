/** A process that can die. After its death, it never gets an answer. */
export class Process {
  readonly name: string;
  /** Resolves when the process dies. */
  readonly death: Promise<void>;
  readonly die: () => void;
  /** Time until which nothing in the process runs, as if it blocked its event loop or were stopped by a signal. */
  frozenUntil = 0;
  #dead = false;

  constructor(name: string) {
    this.name = name;
    let died: () => void = () => {};
    this.death = new Promise((resolve) => {
      died = resolve;
    });
    this.die = () => {
      this.#dead = true;
      died();
    };
  }

  get dead(): boolean {
    return this.#dead;
  }
}

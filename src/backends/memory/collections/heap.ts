/** Numbers with quick access to the smallest. Adding and removing a number takes logarithmic time. */
export class Heap {
  readonly #numbers: number[];

  constructor(numbers: Iterable<number> = []) {
    // A sorted array is a heap.
    this.#numbers = [...numbers].sort((one, other) => one - other);
  }

  get smallest(): number | undefined {
    return this.#numbers[0];
  }

  push(added: number): void {
    const numbers = this.#numbers;
    let place = numbers.length;
    numbers.push(added);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = numbers[parent] as number;
      if (above <= added) break;
      numbers[place] = above;
      place = parent;
    }
    numbers[place] = added;
  }

  /** Removes the smallest number. */
  pop(): void {
    const numbers = this.#numbers;
    const moved = numbers.pop();
    if (moved === undefined || numbers.length === 0) return;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if ((numbers[child + 1] ?? Number.POSITIVE_INFINITY) < (numbers[child] ?? Number.POSITIVE_INFINITY))
        child += 1;
      const below = numbers[child];
      if (below === undefined || below >= moved) break;
      numbers[place] = below;
      place = child;
    }
    numbers[place] = moved;
  }
}

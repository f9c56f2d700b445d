/** A cache of renderings by their source text; drops the least recently used. */
export class TextMemory {
  readonly #maxLength: number;
  readonly #made = new Map<string, string>();
  #length = 0;

  /** Limit for all texts and renderings together, in characters. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  has(text: string): boolean {
    return this.#made.has(text);
  }

  recallOrMake(text: string, make: (text: string) => string): string {
    const known = this.#made.get(text);
    const made = known ?? make(text);
    if (known !== undefined) this.#made.delete(text);
    else this.#length += text.length + made.length;
    this.#made.set(text, made);
    this.#forgetOldest();
    return made;
  }

  #forgetOldest(): void {
    for (const [text, made] of this.#made) {
      if (this.#length <= this.#maxLength) return;
      this.#made.delete(text);
      this.#length -= text.length + made.length;
    }
  }
}

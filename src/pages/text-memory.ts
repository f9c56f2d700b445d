/** What was made from a text, kept by the text itself; what was used longest ago goes first. */
export class TextMemory {
  readonly #maxLength: number;
  readonly #made = new Map<string, string>();
  #length = 0;

  /** Together, the texts and what was made of them have at most so many characters. */
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

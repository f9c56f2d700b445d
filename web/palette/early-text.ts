/** What is typed after the palette was asked for and before its code has come. Pure. */
export class EarlyText {
  /** Null: nothing is awaited. */
  #text: string | null = null;

  await(): void {
    this.#text = "";
  }

  /** Whether the key was meant for the palette. */
  take(key: string): boolean {
    if (this.#text === null) return false;
    if (key === "Backspace") this.#text = this.#text.slice(0, -1);
    else if ([...key].length === 1) this.#text += key;
    else return false;
    return true;
  }

  /** The palette is there, or is not wanted any more. */
  end(): string {
    const text = this.#text ?? "";
    this.#text = null;
    return text;
  }
}

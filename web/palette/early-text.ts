/** Buffers keys typed between opening the palette and loading its code. */
export class EarlyText {
  /** `null` while nothing is buffered. */
  #text: string | null = null;

  await(): void {
    this.#text = "";
  }

  /** Returns whether the key was buffered. */
  take(key: string): boolean {
    if (this.#text === null) return false;
    if (key === "Backspace") this.#text = this.#text.slice(0, -1);
    else if ([...key].length === 1) this.#text += key;
    else return false;
    return true;
  }

  /** Stops buffering and returns the text, when the palette has loaded or was closed. */
  end(): string {
    const text = this.#text ?? "";
    this.#text = null;
    return text;
  }
}

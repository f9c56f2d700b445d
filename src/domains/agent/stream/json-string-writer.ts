/**
 * Writes one JSON string literal in pieces. The result is valid JSON wherever the text is split:
 * half a surrogate pair waits for its other half.
 */
export class JsonStringWriter {
  #held = "";

  open(): string {
    return '"';
  }

  write(text: string): string {
    const whole = this.#held + text;
    const last = whole.charCodeAt(whole.length - 1);
    const isHalf = last >= 0xd800 && last <= 0xdbff;
    this.#held = isHalf ? whole.slice(-1) : "";
    return escapeText(isHalf ? whole.slice(0, -1) : whole);
  }

  close(): string {
    const rest = escapeText(this.#held);
    this.#held = "";
    return `${rest}"`;
  }
}

/** Writes an unpaired surrogate as the replacement character. */
function escapeText(text: string): string {
  return JSON.stringify(text.toWellFormed()).slice(1, -1);
}

import type { Found } from "../tool-shapes/tool-data.ts";

const maxLines = 60;
const maxSources = 30;
const maxLineLength = 1_200;
/**
 * Maximum length of an answer without its list of sources, in characters. Leaves room for the list
 * within `maxAnswerLength`.
 */
const maxBodyLength = 14_000;

/** An answer under construction, with its lines and the sources that the lines cite. */
export class Answer {
  readonly #lines: string[] = [];
  #length = 0;
  #isCut = false;
  readonly #cited = new Map<string, { readonly number: number; readonly url: string }>();

  /** Adds a line unless the answer already contains an identical line. */
  line(text: string): void {
    const cut = text.length > maxLineLength ? `${text.slice(0, maxLineLength - 1)}…` : text;
    if (!this.#lines.includes(cut)) this.#add(cut);
  }

  #add(text: string): void {
    const hasRoom = this.#lines.length < maxLines && this.#length + text.length <= maxBodyLength;
    this.#isCut ||= !hasRoom;
    if (!hasRoom) return;
    this.#lines.push(text);
    this.#length += text.length + 1;
  }

  /**
   * Adds JSON text as a code block. The block is never truncated, but is omitted if the answer is
   * full.
   */
  block(text: string): void {
    this.#add(`\`\`\`json\n${text}\n\`\`\``);
  }

  item(text: string): void {
    this.line(`- ${text}`);
  }

  /** Yields the first items. If there are more, the next line counts them. */
  *upTo<Item>(items: readonly Item[], most: number): Generator<Item> {
    yield* items.slice(0, most);
    if (items.length > most) this.#add(`And ${items.length - most} more.`);
  }

  /**
   * Returns citation marks such as `[1]` for the given sources of a tool result. Without ids, cites
   * the first source of the result.
   */
  cite(found: Found<unknown>, ...ids: readonly string[]): string {
    const wanted = ids.length > 0 ? ids : found.sources.slice(0, 1).map(({ id }) => id);
    const marks = wanted.flatMap((id) => {
      const source = found.sources.find((one) => one.id === id);
      if (source === undefined) return [];
      const known = this.#cited.get(source.id);
      if (known !== undefined) return [`[${known.number}]`];
      if (this.#cited.size >= maxSources) return [];
      const number = this.#cited.size + 1;
      this.#cited.set(source.id, { number, url: source.url });
      return [`[${number}]`];
    });
    return marks.length === 0 ? "" : ` ${[...new Set(marks)].join("")}`;
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  toText(): string {
    const body = [
      ...this.#lines,
      ...(this.#isCut ? ["(The answer is truncated. Ask a narrower question.)"] : []),
    ].join("\n");
    if (this.#cited.size === 0) return body;
    const sources = [...this.#cited.values()]
      .filter(({ number }) => body.includes(`[${number}]`))
      .map(({ number, url }) => `[${number}](${url})`);
    return `${body}\n\nSources: ${sources.join(" ")}`;
  }
}

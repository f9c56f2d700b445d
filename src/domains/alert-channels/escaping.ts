/** What a name that somebody typed must lose before a channel shows it. Pure, one per language. */

/** Controls and line ends, which a single line cannot have. */
const lineBreakers = /[\p{Cc}\u2028\u2029]+/gu;
/** Marks that turn the reading direction, and can make a text read as another one. */
const invisibleTurns = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

export function toOneLine(text: string): string {
  return text.toWellFormed().replaceAll(invisibleTurns, "").replaceAll(lineBreakers, " ").trim();
}

/** At most so many UTF-16 units, never half a character. */
export function clipText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const cut = text.slice(0, Math.max(0, maxLength - 1));
  const isHalf = /[\ud800-\udbff]$/.test(cut);
  return `${isHalf ? cut.slice(0, -1) : cut}…`;
}

/** One line of bounded length, as every channel shows names, reasons and values. */
export function toShortLine(text: string, maxLength: number): string {
  return clipText(toOneLine(text), maxLength);
}

const htmlEntities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => htmlEntities[character] ?? "");
}

/** Slack asks for these three; a mention or a link cannot be written without them. */
export function escapeSlack(text: string): string {
  return text.replaceAll(/[&<>]/g, (character) => htmlEntities[character] ?? "");
}

export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_~|>#[\]()<!+-]/g, "\\$&");
}

/**
 * One line within a text that is read as Markdown and also as it stands: only what Markdown would
 * take for its own is marked, so that names and addresses stay as they are.
 */
export function toMarkdownLine(text: string): string {
  return toOneLine(text)
    .replaceAll(/[\\`*[\]<~|]|&(?=[#\w]+;)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\$&")
    .replace(/^(?:[#>+=-]|\d+(?=[.)]))/, (start) =>
      /^\d/.test(start) ? `${start}\\` : `\\${start}`,
    );
}

/** The inside of a JSON string. */
export function escapeJson(text: string): string {
  return JSON.stringify(text.toWellFormed()).slice(1, -1);
}

/** What a name that somebody typed must lose before a channel shows it. Pure, one per language. */
import { toOneLine } from "../../platform/text/clip.ts";

/** Slack asks for these three; a mention or a link cannot be written without them. */
export function escapeSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
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

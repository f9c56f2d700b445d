/** One pure function per markup language: makes text that people typed safe to show. */
import { toOneLine } from "../../platform/text/clip.ts";

/** Slack requires these three; without them no mention or link is possible. */
export function escapeSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_~|>#[\]()<!+-]/g, "\\$&");
}

/** Markdown, and no mention of people or channels: an invisible space follows the sign. */
export function escapeMattermost(text: string): string {
  return escapeMarkdown(text).replaceAll("@", "@\u200b");
}

/**
 * One line of a text that is read both as Markdown and as plain text. Only what Markdown would
 * interpret is escaped, so that names and addresses stay readable.
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

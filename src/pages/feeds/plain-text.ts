/** Control characters, halves of characters and what is no character: no XML may hold them. */
const unfitForXml = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** The text as it was typed, but for what the format cannot carry at all. */
export function fitForXml(text: string): string {
  return text.replaceAll(unfitForXml, "\ufffd");
}

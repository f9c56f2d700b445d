/** Control characters, lone surrogates and non-characters, which XML does not allow. */
const unfitForXml = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** Replaces the characters that XML does not allow. */
export function fitForXml(text: string): string {
  return text.replaceAll(unfitForXml, "\ufffd");
}

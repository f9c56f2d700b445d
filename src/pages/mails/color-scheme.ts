const darkQuery = "@media (prefers-color-scheme:dark)";

/** A mail in the colours of one scheme, whatever the reader's system has. */
export function fixColorScheme(mail: string, scheme: "light" | "dark"): string {
  const fixed = mail.replaceAll(darkQuery, scheme === "dark" ? "@media all" : "@media not all");
  return fixed.replaceAll("color-scheme:light dark", `color-scheme:${scheme}`);
}

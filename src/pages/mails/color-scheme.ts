const darkQuery = "@media (prefers-color-scheme:dark)";

/** Fixes a mail to one colour scheme, independent of the reader's system. */
export function fixColorScheme(mail: string, scheme: "light" | "dark"): string {
  const fixed = mail.replaceAll(darkQuery, scheme === "dark" ? "@media all" : "@media not all");
  return fixed.replaceAll("color-scheme:light dark", `color-scheme:${scheme}`);
}

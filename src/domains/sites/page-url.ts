/** Labels that are part of our own URLs, or could be mistaken for the operator's. */
const reserved = new Set(
  (
    "about account accounts acknowledge admin administrator api app apps assets auth badge badges " +
    "billing blog cdn checks console contact dashboard dashboards dev developer docs email embed " +
    "feed feeds ftp health healthz help home imap images incident incidents info legal localhost " +
    "login logout mail mcp metrics ns ns1 ns2 openapi pop postmaster private public readyz " +
    "register root runtimes security services settings sign-in sign-out sign-up signin signout " +
    "signup smtp ssl staging static status status-page status-pages subscribe subscriptions " +
    "support system test unsubscribe v1 v2 v3 vedette verify web webmaster webmail widget ws www"
  ).split(" "),
);

export const pageUrlPattern = "^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$";
const label = new RegExp(pageUrlPattern);

export type PageUrl =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "invalid"; readonly rule: string };

/** Parses a page's label: one label of a host name, because it becomes a subdomain. */
export function parsePageUrl(text: string): PageUrl {
  if (!label.test(text)) {
    return { kind: "invalid", rule: "must be 1 to 63 letters, digits and inner hyphens" };
  }
  const url = text.toLowerCase();
  if (reserved.has(url)) return { kind: "invalid", rule: "is reserved" };
  // Browsers display such a label in other characters (Punycode).
  if (/^..--/.test(url))
    return { kind: "invalid", rule: "must not contain -- after two characters" };
  return { kind: "url", url };
}

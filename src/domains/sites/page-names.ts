import { hostname } from "node:os";
import { parseHostname } from "../../kinds/network/host.ts";

const hostLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export const pageUrlPattern = "^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$";

/** The kinds of page that share names, domains, keys and images. */
export type PageKind = "status-page" | "dashboard";

export interface PageReference {
  readonly pageKind: PageKind;
  readonly pageId: string;
}

type CustomDomain =
  | { readonly kind: "domain"; readonly domain: string }
  | { readonly kind: "invalid"; readonly rule: string };

function reject(rule: string): CustomDomain {
  return { kind: "invalid", rule };
}

/** Names that resolve to this machine without DNS. */
function isNameOfMachine(name: string, machine: string): boolean {
  const own = machine.toLowerCase();
  return name.endsWith(".localhost") || [own, `${own}.local`, `${own}.localdomain`].includes(name);
}

/** Parses a custom domain into the form in which it is compared. */
export function parseCustomDomain(
  text: string,
  publicUrl: string,
  machine = hostname(),
): CustomDomain {
  const host = parseHostname(text);
  const labels = host.kind === "name" ? host.ascii.split(".") : [];
  // Certificates need at least two labels, and no underscores.
  if (host.kind !== "name" || labels.length < 2 || !labels.every((part) => hostLabel.test(part))) {
    return reject("must be a host name such as status.example.com, without scheme, port or path");
  }
  const ours = URL.parse(publicUrl)?.hostname.toLowerCase().replace(/\.$/, "") ?? "";
  if (
    host.ascii === ours ||
    isNameOfMachine(host.ascii, machine) ||
    host.ascii.endsWith(`.${ours}`)
  ) {
    return reject("must not be the host of this service or a subdomain of it");
  }
  return { kind: "domain", domain: host.ascii };
}

/** Labels that are part of our own URLs, or could be mistaken for the operator's. */
const reserved = new Set(
  (
    "about account accounts acknowledge admin administrator api app apps assets auth badge badges " +
    "billing blog cdn checks console contact dashboard dashboards dev developer docs email embed " +
    "feed feeds ftp health healthz help home imap images incident incidents info legal localhost " +
    "login logout mail mcp metrics ns ns1 ns2 openapi pop postmaster private public readyz " +
    "register root runtimes security services settings sign-in sign-out sign-up signin signout " +
    "signup smtp ssl staging static status status-pages subscribe subscriptions " +
    "support system test unsubscribe v1 v2 v3 vedette verify web webmaster webmail widget ws www"
  ).split(" "),
);
const label = new RegExp(pageUrlPattern);

type PageUrl =
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

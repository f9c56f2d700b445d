import { hostname } from "node:os";
import { parseHostname } from "../../platform/net/host.ts";

const hostLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export const pageUrlPattern = "^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$";

/** Kinds of pages that have names, domains, keys and images. */
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

/** Returns whether a name resolves to this machine without DNS. */
function isNameOfMachine(name: string, machine: string): boolean {
  const own = machine.toLowerCase();
  return name.endsWith(".localhost") || [own, `${own}.local`, `${own}.localdomain`].includes(name);
}

/** Parses a custom domain and normalises it for comparison. */
export function parseCustomDomain(
  text: string,
  publicUrl: string,
  machine = hostname(),
): CustomDomain {
  const host = parseHostname(text);
  const labels = host.kind === "name" ? host.ascii.split(".") : [];
  // A certificate authority requires at least two labels and allows no underscores.
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

/** Reserved labels: parts of this server's URLs, and names that look like the operator's. */
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

/**
 * Parses the label of a page. The label must be valid in a host name, because it becomes a
 * subdomain.
 */
export function parsePageUrl(text: string): PageUrl {
  if (!label.test(text)) {
    return { kind: "invalid", rule: "must be 1 to 63 letters, digits and inner hyphens" };
  }
  const url = text.toLowerCase();
  if (reserved.has(url)) return { kind: "invalid", rule: "is reserved" };
  // Labels with `--` after two characters may be Punycode, which browsers decode for display.
  if (/^..--/.test(url))
    return { kind: "invalid", rule: "must not contain -- after two characters" };
  return { kind: "url", url };
}

import { hostname } from "node:os";
import { parseHostname } from "../../kinds/network/hostname.ts";

export type CustomDomain =
  | { readonly kind: "domain"; readonly domain: string }
  | { readonly kind: "invalid"; readonly rule: string };

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

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
  if (host.kind !== "name" || labels.length < 2 || !labels.every((part) => label.test(part))) {
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

/** Relying party of passkeys: the host name to which the browser binds them. */
import { isIP } from "node:net";

export type RelyingParty =
  | { readonly kind: "usable"; readonly id: string; readonly origin: string }
  | { readonly kind: "unusable"; readonly reason: string };

function unusable(reason: string): RelyingParty {
  return { kind: "unusable", reason };
}

function isLocalName(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost");
}

function isAddress(hostname: string): boolean {
  return hostname.startsWith("[") || isIP(hostname) !== 0;
}

/**
 * Returns the relying party for PUBLIC_URL if it is set, or else for the host of the request.
 * Without PUBLIC_URL, only `localhost` is usable, because on other hosts browsers require https.
 */
export function findRelyingParty(
  configuredUrl: string | undefined,
  requestHost: string,
): RelyingParty {
  const url = URL.parse(configuredUrl ?? `http://${requestHost}`);
  if (url === null) return unusable("The address of this server is not known.");
  const { hostname, origin, port } = url;
  const isSet = configuredUrl !== undefined;
  if (isAddress(hostname)) {
    const local = `http://localhost${port === "" ? "" : `:${port}`}`;
    const advice = isSet
      ? "Set PUBLIC_URL to one with a name."
      : `On the machine itself open ${local}; for others set PUBLIC_URL to an https address.`;
    return unusable(`Passkeys need a host name, and ${hostname} is an IP address. ${advice}`);
  }
  if (isLocalName(hostname)) return { kind: "usable", id: hostname, origin };
  if (!isSet) {
    return unusable("Passkeys need PUBLIC_URL to be set to the https address of this server.");
  }
  if (url.protocol !== "https:") {
    return unusable("Passkeys need an https address, and PUBLIC_URL is not one.");
  }
  return { kind: "usable", id: hostname, origin };
}

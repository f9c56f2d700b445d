/** Parsers for settings. Each returns the value, or a fault that describes what is allowed. */

import { readFileSync } from "node:fs";
import ipaddr from "ipaddr.js";
import { ExplainedError } from "./errors.ts";
import { parseIpAddress } from "./ip-address.ts";
import type { AddressRules } from "./outbound-guard.ts";

export type Parsed<Value> = { readonly value: Value } | { readonly fault: string };

export const ok = <Value>(value: Value): Parsed<Value> => ({ value });
export const fault = (text: string): Parsed<never> => ({ fault: text });

export function integerBetween(low: number, high: number) {
  return (text: string): Parsed<number> => {
    const value = Number(text);
    const fits = /^\d{1,10}$/.test(text) && value >= low && value <= high;
    return fits ? ok(value) : fault(`must be a whole number from ${low} to ${high}`);
  };
}

export function oneOf<const Name extends string>(names: readonly Name[]) {
  return (text: string): Parsed<Name> => {
    const found = names.find((name) => name === text);
    return found === undefined ? fault(`must be one of ${names.join(", ")}`) : ok(found);
  };
}

export function matching(pattern: RegExp, rule: string) {
  return (text: string): Parsed<string> => (pattern.test(text) ? ok(text) : fault(rule));
}

export function urlWith(protocols: readonly string[]) {
  return (text: string): Parsed<string> => {
    // `URL.parse` would also accept surrounding spaces and `http:example.com`.
    const begins = protocols.some((protocol) => text.startsWith(`${protocol}//`));
    const fits = begins && !/\s/.test(text) && URL.canParse(text);
    const list = protocols.map((protocol) => `${protocol}//`).join(" or ");
    return fits ? ok(text.replace(/\/+$/, "")) : fault(`must be a URL that begins with ${list}`);
  };
}

export function addressList(family: "ipv4" | "ipv6" | "any") {
  return (text: string): Parsed<readonly string[]> => {
    const items = text.split(",").map((item) => item.trim());
    const fits = items.every((item) => {
      const [text = ""] = item.split("/");
      const address = text.includes("%") ? null : parseIpAddress(text);
      const isWhole = item === text || ipaddr.isValidCIDR(item);
      return isWhole && address !== null && (family === "any" || address.kind() === family);
    });
    const kind = family === "any" ? "IP" : family.replace("ipv", "IPv");
    return fits ? ok(items) : fault(`must be ${kind} addresses or prefixes, separated by commas`);
  };
}

/** Parses `true`, `false`, or the private addresses that are allowed. */
export function parsePrivateAddresses(text: string): Parsed<AddressRules> {
  if (text === "true" || text === "false") return ok({ allowPrivate: text === "true" });
  const addresses = addressList("any")(text);
  if ("value" in addresses) return ok({ allowPrivate: false, allowedAddresses: addresses.value });
  return fault("must be true, false, or IP addresses or prefixes, separated by commas");
}

export function hostList(text: string): Parsed<readonly string[]> {
  const hosts = text.split(",").map((item) => item.trim());
  const fits = hosts.length <= 10 && hosts.every((host) => /^[A-Za-z0-9.:_-]{1,253}$/.test(host));
  return fits ? ok(hosts) : fault("must be up to ten host names or addresses, separated by commas");
}

/** Parses pairs such as `admins=ADMIN`. The last equals sign of a pair separates name and value. */
export function pairsWith<const Name extends string>(names: readonly Name[], example: string) {
  return (text: string): Parsed<ReadonlyMap<string, Name>> => {
    const pairs = new Map<string, Name>();
    for (const item of text.split(",")) {
      const at = item.lastIndexOf("=");
      const name = names.find((one) => one === item.slice(at + 1).trim());
      const value = item.slice(0, at).trim();
      if (at < 1 || value === "" || name === undefined) {
        return fault(`must be pairs such as ${example}, with one of ${names.join(", ")}`);
      }
      pairs.set(value, name);
    }
    return ok(pairs);
  };
}

export function domainList(text: string): Parsed<readonly string[]> {
  const domains = text.split(",").map((item) => item.trim().toLowerCase());
  const fits = domains.every((domain) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain));
  return fits ? ok(domains) : fault("must be domains such as example.com, separated by commas");
}

/** Parses the URL of an issuer. Keeps a trailing slash, because issuers are compared literally. */
export function issuerUrl(text: string): Parsed<string> {
  const checked = urlWith(["http:", "https:"])(text);
  return "fault" in checked ? checked : ok(text);
}

/** Parses DNS servers with optional ports, such as `192.0.2.53` or `[2001:db8::1]:5353`. */
export function resolverList(text: string): Parsed<readonly string[]> {
  const servers = text.split(",").map((item) => item.trim());
  const fits = servers.length <= 5 && servers.every(isResolver);
  return fits ? ok(servers) : fault("must be up to five IP addresses with optional ports");
}

function isResolver(text: string): boolean {
  if (parseIpAddress(text) !== null) return !text.includes("%");
  const [, bracketed, plain, port] = /^(?:\[([^\]%]+)\]|([\d.]+)):(\d{1,5})$/.exec(text) ?? [];
  const address = parseIpAddress(bracketed ?? plain ?? "");
  const kind = bracketed === undefined ? "ipv4" : "ipv6";
  return address?.kind() === kind && Number(port) >= 1 && Number(port) <= 65_535;
}

export interface Setting<Value> {
  readonly parse: (text: string) => Parsed<Value>;
  /** Default value, as text in the format of the setting; undefined if the setting is optional. */
  readonly fallback: string | undefined;
  readonly allowed: string;
  readonly purpose: string;
  /**
   * Whether the value is a secret. The variable `<NAME>_FILE` may then name a file that contains
   * it.
   */
  readonly isSecret?: true;
}

/** Lists all invalid settings in one message, so that the operator can fix them together. */
export class ConfigError extends ExplainedError {
  constructor(faults: readonly string[]) {
    const list = faults.map((one) => `  ${one}`).join("\n");
    super(`The configuration has ${faults.length === 1 ? "a fault" : "faults"}:\n${list}`);
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the text of a setting from its variable, or from the file that `<NAME>_FILE` names. */
export function readSettingText(
  name: string,
  setting: Setting<unknown>,
  environment: Environment,
): Parsed<string | undefined> {
  const direct = environment[name];
  const path = setting.isSecret ? environment[`${name}_FILE`] : undefined;
  if (direct && path) return fault(`and ${name}_FILE are both set; set one of them`);
  if (!path) return ok(direct || setting.fallback);
  try {
    return ok(readFileSync(path, "utf8").trim());
  } catch (error) {
    return fault(`cannot be read from the file ${path}: ${(error as Error).message}`);
  }
}

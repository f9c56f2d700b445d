import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { classifyAddress } from "../../platform/outbound-guard.ts";
import type { OwnEndpoint, OwnHost } from "./reach.ts";

/** Container platforms assign a new address to a restarted service. */
export const resolveEveryMs = 30_000;

/** Rejects if the name does not exist or the DNS server does not respond. */
type FindAddresses = (host: string) => Promise<readonly string[]>;

const findAddresses: FindAddresses = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/**
 * Returns the current addresses of the hosts. A name that cannot be resolved keeps its previous
 * addresses.
 */
export async function resolveOwnHosts(
  hosts: readonly OwnHost[],
  before: readonly OwnEndpoint[] = [],
  find = findAddresses,
): Promise<OwnEndpoint[]> {
  const endpoints: OwnEndpoint[] = [];
  for (const { name, host, port, isPublicExempt } of hosts) {
    const known = before.find((one) => one.name === name && one.port === port && one.host === host);
    const addresses = await find(host).catch(() => known?.addresses ?? []);
    const refused = addresses.filter((address) => !isPublicExempt || !isPublic(address));
    endpoints.push({ name, host, port, addresses: refused });
  }
  return endpoints;
}

const isPublic = (address: string) => classifyAddress(address) === "public";

/** Whether any of the hosts is a name, whose addresses may change. */
export function hasNames(hosts: readonly OwnHost[]): boolean {
  return hosts.some(({ host }) => isIP(host) === 0);
}

const postgresPort = 5432;

/** Returns host and port of a database URL; `null` if it names a Unix socket. */
export function readDatabaseHost(url: string): { host: string; port: number } | null {
  if (!URL.canParse(url)) return null;
  const { hostname, port, searchParams } = new URL(url);
  // PostgreSQL clients also accept both as query parameters, which take precedence.
  const host = searchParams.get("host") ?? decodeURIComponent(hostname);
  if (host === "" || host.startsWith("/")) return null;
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  return { host: bare, port: Number(searchParams.get("port") ?? port) || postgresPort };
}

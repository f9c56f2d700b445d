import { lookup } from "node:dns/promises";
import type { OwnEndpoint } from "./reach.ts";

const usualPort = 5432;

/** The host and the port of a database URL; null: it is reached by a Unix socket. */
export function readDatabaseHost(url: string): { host: string; port: number } | null {
  if (!URL.canParse(url)) return null;
  const { hostname, port, searchParams } = new URL(url);
  // Clients of PostgreSQL let both be parameters as well, and those win.
  const host = searchParams.get("host") ?? decodeURIComponent(hostname);
  if (host === "" || host.startsWith("/")) return null;
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  return { host: bare, port: Number(searchParams.get("port") ?? port) || usualPort };
}

/** Where the service's own database is now, for the rules of what probes may reach. */
export async function findOwnDatabase(url: string | undefined): Promise<OwnEndpoint[]> {
  const place = url === undefined ? null : readDatabaseHost(url);
  if (place === null) return [];
  const found = await lookup(place.host, { all: true }).catch(() => []);
  const addresses = found.map(({ address }) => address);
  return [{ name: "the database of this service", addresses, port: place.port }];
}

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

const usualPort = 5432;

/** Returns host and port of a database URL; `null` if it names a Unix socket. */
export function readDatabaseHost(url: string): { host: string; port: number } | null {
  if (!URL.canParse(url)) return null;
  const { hostname, port, searchParams } = new URL(url);
  // PostgreSQL clients also accept both as query parameters, which take precedence.
  const host = searchParams.get("host") ?? decodeURIComponent(hostname);
  if (host === "" || host.startsWith("/")) return null;
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  return { host: bare, port: Number(searchParams.get("port") ?? port) || usualPort };
}

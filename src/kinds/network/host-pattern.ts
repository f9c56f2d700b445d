/** Whether a host is one that a pattern names: `api.example.com`, or `*.example.com`. */
export function doesHostMatch(pattern: string, host: string): boolean {
  const wanted = tidy(pattern);
  const given = tidy(host);
  if (!wanted.startsWith("*.")) return given === wanted;
  // As in certificates: the star stands for one label.
  const dot = given.indexOf(".");
  return dot > 0 && given.slice(dot) === wanted.slice(1);
}

function tidy(name: string): string {
  const bare = name.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  // IPv6 has many spellings, and a URL has one of them.
  if (bare.includes(":")) return URL.parse(`http://[${bare}]/`)?.hostname.slice(1, -1) ?? bare;
  return bare.replace(/\.$/, "");
}

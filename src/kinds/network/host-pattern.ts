/** Whether a host matches a pattern such as `api.example.com` or `*.example.com`. */
export function doesHostMatch(pattern: string, host: string): boolean {
  const expected = tidy(pattern);
  const given = tidy(host);
  if (!expected.startsWith("*.")) return given === expected;
  // As in certificates, the wildcard matches exactly one label.
  const dot = given.indexOf(".");
  return dot > 0 && given.slice(dot) === expected.slice(1);
}

function tidy(name: string): string {
  const bare = name.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  // Normalises the spelling of an IPv6 address.
  if (bare.includes(":")) return URL.parse(`http://[${bare}]/`)?.hostname.slice(1, -1) ?? bare;
  return bare.replace(/\.$/, "");
}

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
  return name.toLowerCase().replace(/\.$/, "");
}

/**
 * Areas of `src` and the modules of each. A file may import only areas that precede its own in
 * this list, and within its area only modules that precede its own.
 */
export const areas: Readonly<Record<string, readonly string[]>> = {
  access: ["accounts", "servers"],
  channels: ["alert-channels", "escalation-policies"],
  sites: ["previews", "publishing", "status-pages", "subscribers"],
  checks: [
    "locations",
    "runtimes",
    "variables",
    "client-certificates",
    "snippets",
    "code-bundles",
    "checks",
  ],
  runs: [
    "results",
    "scheduling",
    "states",
    "recording",
    "failure-paths",
    "assets",
    "probe-links",
    "statistics",
    "heartbeats",
  ],
  response: ["alert-sources", "incidents", "maintenance", "on-call", "alerting"],
  screens: ["timelines", "overview", "prometheus", "public-pages", "dashboards", "change-stream"],
  "as-code": ["projects", "imports", "backups", "clients"],
  agent: [],
};

/** Folders of all modules, in the order in which they may import each other. */
export const modules: readonly string[] = Object.entries(areas).flatMap(([area, names]) =>
  names.length === 0 ? [`src/${area}`] : names.map((name) => `src/${area}/${name}`),
);

/** Returns the folder of the module that a file belongs to, or `null` for files of other layers. */
export function moduleOf(path: string): string | null {
  const [, area = "", name = ""] = path.split("/");
  const names = path.startsWith("src/") && Object.hasOwn(areas, area) ? areas[area] : undefined;
  if (names === undefined) return null;
  return names.length === 0 ? `src/${area}` : `src/${area}/${name}`;
}

/** What the palette offers besides what the server finds. Pure. */
import { words } from "./words.ts";

export interface Command {
  readonly id: string;
  readonly section: keyof typeof words.sections;
  readonly label: string;
  /** What else it is found by. */
  readonly also?: string;
  /** Beside the label: a target, a key. */
  readonly detail?: string;
  readonly href?: string;
  readonly run?: () => void;
}

const places: readonly (readonly [keyof typeof words.go, string, string?])[] = [
  ["now", "/", "g n"],
  ["checks", "/checks", "g c"],
  ["groups", "/groups", "g g"],
  ["alerts", "/alerts", "g a"],
  ["channels", "/alerts/channels"],
  ["incidents", "/incidents", "g i"],
  ["incidentTemplates", "/incidents/templates"],
  ["incidentStatistics", "/incidents/statistics"],
  ["statusPages", "/status-pages", "g p"],
  ["newStatusPage", "/status-pages/new"],
  ["maintenance", "/alerts/maintenance", "g m"],
  ["locations", "/locations", "g l"],
  ["dashboards", "/dashboards", "g d"],
  ["profile", "/settings/profile"],
  ["security", "/settings/security"],
  ["devices", "/settings/devices"],
  ["apiKeys", "/settings/api-keys"],
  ["members", "/settings/members"],
  ["audit", "/settings/audit"],
  ["alertSettings", "/settings/alerts"],
  ["agent", "/settings/agent"],
  ["servers", "/settings/servers"],
  ["backups", "/settings/backups"],
  ["doctor", "/settings/doctor"],
  ["about", "/settings/about"],
];

export function listPlaces(): Command[] {
  return places.map(([name, href, detail]) => ({
    id: `go-${name}`,
    section: "go",
    label: words.go[name],
    href,
    ...(detail !== undefined && { detail }),
  }));
}

/** Every word that was typed is somewhere in the label; those that begin with it come first. */
export function filterCommands(commands: readonly Command[], text: string): Command[] {
  const parts = text.toLowerCase().split(/\s+/).filter(Boolean);
  const [first = ""] = parts;
  const rank = ({ label }: Command) => (label.toLowerCase().startsWith(first) ? 0 : 1);
  return commands
    .filter(({ label, also = "" }) => {
      const all = `${label} ${also}`.toLowerCase();
      return parts.every((part) => all.includes(part));
    })
    .sort((one, other) => rank(one) - rank(other));
}

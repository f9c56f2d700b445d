/** Static entries of the command palette. */
import { words } from "./words.ts";

export interface Command {
  readonly id: string;
  readonly section: keyof typeof words.sections;
  readonly label: string;
  /** Additional search terms. */
  readonly also?: string;
  /** Shown beside the label, such as a target or a key. */
  readonly detail?: string;
  readonly href?: string;
  /** Path of a server-rendered page outside the application. */
  readonly page?: string;
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
  ["maintenance", "/alerts/maintenance", "g m"],
  ["onCall", "/on-call", "g o"],
  ["locations", "/locations", "g l"],
  ["dashboards", "/dashboards", "g d"],
  ["profile", "/settings/profile"],
  ["security", "/settings/security"],
  ["devices", "/settings/devices"],
  ["contactMethods", "/settings/contact-methods"],
  ["apiKeys", "/settings/api-keys"],
  ["variables", "/settings/variables"],
  ["snippets", "/settings/snippets"],
  ["clientCertificates", "/settings/client-certificates"],
  ["members", "/settings/members"],
  ["audit", "/settings/audit"],
  ["alertSettings", "/settings/alerts"],
  ["agent", "/settings/agent"],
  ["servers", "/settings/servers"],
  ["runtimes", "/settings/runtimes"],
  ["import", "/settings/import"],
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

const actions: readonly (readonly [keyof typeof words.make, string, string?])[] = [
  ["check", "/checks/new", "c"],
  ["list", "/checks/new?tab=list"],
  ["group", "/groups/new"],
  ["channel", "/alerts/channels/new"],
  ["incident", "/incidents/new"],
  ["maintenance", "/alerts/maintenance/new"],
  ["onCall", "/on-call/new"],
  ["statusPage", "/status-pages/new"],
];

/** Actions for users with write access. */
export function listActions(): Command[] {
  return actions.map(([name, href, detail]) => ({
    id: `new-${name}`,
    section: "actions",
    label: words.make[name],
    href,
    ...(detail !== undefined && { detail }),
  }));
}

/** Keeps commands whose label contains every typed word; those that start with it come first. */
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

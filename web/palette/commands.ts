/** Static entries of the command palette. */
import { words } from "./words.ts";

export interface Command {
  readonly id: string;
  readonly section: keyof typeof words.sections;
  readonly label: string;
  /** Additional search terms of the command. */
  readonly also?: string;
  /** Text shown beside the label, such as a target or a keyboard shortcut. */
  readonly detail?: string;
  readonly href?: string;
  /** Path of a server-rendered page outside the web application. */
  readonly page?: string;
  readonly run?: () => void;
  /** Text that the field gets, so that the user types on. */
  readonly fill?: string;
}

const places: readonly (readonly [keyof typeof words.go, string, string?])[] = [
  ["now", "/", "g n"],
  ["checks", "/checks", "g c"],
  ["groups", "/groups", "g g"],
  ["alerts", "/alerts", "g a"],
  ["channels", "/alerts/channels"],
  ["mutes", "/alerts/mutes"],
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

/** Returns the commands for users with write access. */
export function listActions(): Command[] {
  return actions.map(([name, href, detail]) => ({
    id: `new-${name}`,
    section: "actions",
    label: words.make[name],
    href,
    ...(detail !== undefined && { detail }),
  }));
}

export const verbs = ["run", "mute", "unmute", "edit"] as const;
export type Verb = (typeof verbs)[number];

/** Splits "mute shop" into what to do and the check to find. */
export function readVerb(text: string): { readonly verb: Verb | null; readonly search: string } {
  const [first = "", ...rest] = text.trim().split(/\s+/);
  const verb = verbs.find((one) => one === first.toLowerCase()) ?? null;
  const search = rest.join(" ");
  return verb === null || search === "" ? { verb: null, search: text.trim() } : { verb, search };
}

/** Offers what a verb that was typed alone can do with a check. */
export function listVerbs(text: string): Command[] {
  const typed = text.trim().toLowerCase();
  if (typed === "") return [];
  return verbs
    .filter((verb) => verb === typed || `un${typed}` === verb)
    .map((verb) => ({
      id: `verb-${verb}`,
      section: "actions",
      label: words.doOnOne[verb],
      fill: `${verb} `,
    }));
}

/**
 * Returns the commands that contain all typed words. Commands whose label starts with the first
 * word come first.
 */
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

// Titles of the guides in `docs/`. A test compares the titles with the outline of the docs.

export const guides: Readonly<Record<string, string>> = {
  "getting-started": "Getting started",
  install: "Install",
  concepts: "Concepts",
  uptime: "Uptime",
  "move-from-uptime-kuma": "Move from Uptime Kuma",
  "move-from-other-monitors": "Move from other monitors",
  "move-from-opsgenie": "Move from Opsgenie",
  checks: "Checks",
  "icmp-checks": "ICMP checks",
  "url-checks": "URL checks",
  "api-checks": "API checks",
  "tcp-checks": "TCP checks",
  "dns-checks": "DNS checks",
  "ssl-checks": "SSL checks",
  "grpc-checks": "gRPC checks",
  "traceroute-checks": "Traceroute checks",
  paths: "Paths",
  "multi-step-checks": "Multi-step checks",
  "browser-checks": "Browser checks",
  "playwright-suites": "Playwright suites",
  "setup-and-teardown-scripts": "Setup and teardown scripts",
  "heartbeat-checks": "Heartbeat checks",
  assertions: "Assertions",
  variables: "Variables",
  "client-certificates": "Client certificates",
  locations: "Locations",
  "check-lists": "Check lists",
  alerts: "Alerts",
  maintenance: "Maintenance",
  "on-call": "On call",
  "status-pages": "Status pages",
  incidents: "Incidents",
  subscribers: "Subscribers",
  "custom-domains": "Custom domains",
  dashboards: "Dashboards",
  prometheus: "Prometheus",
  "monitoring-as-code": "Monitoring as code",
  "existing-command-line-and-terraform": "Existing command line and Terraform",
  agent: "Agent",
  configure: "Configure",
  operate: "Operate",
  backups: "Backups",
  probes: "Probes",
  runtimes: "Runtimes",
  "many-machines": "Many machines",
  "sign-in": "Sign-in",
  "sign-in-security": "Sign-in security",
  settings: "Settings",
  commands: "Commands",
  events: "Events",
  errors: "Errors",
  database: "Database",
  decisions: "Decisions",
};

export function listGuides(): Command[] {
  const found = Object.entries(guides).map(
    ([name, title]): Command => ({
      id: `guide-${name}`,
      section: "docs",
      label: title,
      also: `docs ${name}`,
      page: `/docs/${name}`,
    }),
  );
  const reference: Command = {
    id: "guide-api",
    section: "docs",
    label: words.apiReference,
    also: "docs",
    page: "/docs/api",
  };
  return [...found, reference];
}

/** Returns the command that searches the full text of the docs. */
export const searchDocs = (text: string): Command => ({
  id: "search-docs",
  section: "docs",
  label: words.searchDocs(text),
  page: `/docs?search=${encodeURIComponent(text)}`,
});

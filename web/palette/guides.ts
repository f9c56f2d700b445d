/** Titles of the guides in `docs/`. A test compares them with the files. */
import type { Command } from "./commands.ts";
import { words } from "./words.ts";

export const guides: Readonly<Record<string, string>> = {
  "getting-started": "Getting started",
  install: "Installing Vedette",
  checks: "Ping checks (ICMP)",
  "url-checks": "URL checks",
  "api-checks": "API checks",
  "tcp-checks": "TCP checks",
  "dns-checks": "DNS checks",
  "ssl-checks": "Certificate checks (SSL)",
  "heartbeat-checks": "Heartbeat checks",
  assertions: "Assertions",
  variables: "Variables",
  "client-certificates": "Client certificates",
  "check-lists": "Lists of checks",
  alerts: "Alerts",
  maintenance: "Maintenance",
  "status-pages": "Status pages",
  incidents: "Incidents",
  subscribers: "Subscribers",
  uptime: "How uptime is counted",
  dashboards: "Dashboards",
  agent: "The agent",
  "agent-grammar": "What the agent understands without a model",
  "sign-in": "Signing in",
  "sign-in-security": "Sign-in security",
  settings: "Settings",
  configure: "Configure Vedette",
  operate: "Operating Vedette",
  locations: "Locations",
  probes: "Probes",
  "many-machines": "Many machines",
  prometheus: "Prometheus",
  events: "Events: what changes, as it changes",
  errors: "Errors",
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

/** Full-text search in the docs. */
export const searchDocs = (text: string): Command => ({
  id: "search-docs",
  section: "docs",
  label: words.searchDocs(text),
  page: `/docs?search=${encodeURIComponent(text)}`,
});

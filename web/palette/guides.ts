/** Titles of the guides in `docs/`. A test compares them with the outline of the docs. */
import type { Command } from "./commands.ts";
import { words } from "./words.ts";

export const guides: Readonly<Record<string, string>> = {
  "getting-started": "Getting started",
  install: "Install",
  concepts: "Concepts",
  uptime: "Uptime",
  "move-from-uptime-kuma": "Move from Uptime Kuma",
  "move-from-other-monitors": "Move from other monitors",
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
  "agent-grammar": "Agent grammar",
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

/** Command that searches the full text of the docs. */
export const searchDocs = (text: string): Command => ({
  id: "search-docs",
  section: "docs",
  label: words.searchDocs(text),
  page: `/docs?search=${encodeURIComponent(text)}`,
});

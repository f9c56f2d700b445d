interface DocsSection {
  readonly title: string;
  /** Names of files in `docs/`, without their ending. */
  readonly guides: readonly string[];
}

/** The guides of the documentation in the order of its navigation. */
export const docsOutline: readonly DocsSection[] = [
  { title: "Get started", guides: ["getting-started", "install"] },
  { title: "Concepts", guides: ["concepts", "uptime"] },
  {
    title: "Checks",
    guides: [
      "checks",
      "icmp-checks",
      "url-checks",
      "api-checks",
      "tcp-checks",
      "dns-checks",
      "ssl-checks",
      "heartbeat-checks",
      "assertions",
      "variables",
      "client-certificates",
      "locations",
      "check-lists",
    ],
  },
  { title: "Alerting", guides: ["alerts", "maintenance"] },
  {
    title: "Status pages",
    guides: ["status-pages", "incidents", "subscribers", "custom-domains"],
  },
  { title: "Dashboards", guides: ["dashboards", "prometheus"] },
  { title: "Agent", guides: ["agent", "agent-grammar"] },
  {
    title: "Operate",
    guides: [
      "configure",
      "operate",
      "backups",
      "probes",
      "many-machines",
      "sign-in",
      "sign-in-security",
      "settings",
    ],
  },
  { title: "Reference", guides: ["commands", "events", "errors"] },
  { title: "Decisions", guides: ["decisions"] },
];

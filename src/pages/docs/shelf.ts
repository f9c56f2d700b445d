/** Guides in the order of the sidebar. Each is a file in `docs/`. */
export const shelf: readonly { readonly title: string; readonly guides: readonly string[] }[] = [
  { title: "Get started", guides: ["getting-started", "install"] },
  {
    title: "Checks",
    guides: [
      "checks",
      "url-checks",
      "api-checks",
      "tcp-checks",
      "dns-checks",
      "ssl-checks",
      "heartbeat-checks",
      "assertions",
      "variables",
      "client-certificates",
      "check-lists",
    ],
  },
  { title: "Alerting", guides: ["alerts", "maintenance"] },
  { title: "Status pages", guides: ["status-pages", "incidents", "subscribers", "uptime"] },
  { title: "Dashboards", guides: ["dashboards"] },
  { title: "Agent", guides: ["agent", "agent-grammar"] },
  { title: "Accounts", guides: ["sign-in", "sign-in-security", "settings"] },
  {
    title: "Operate",
    guides: ["configure", "operate", "locations", "probes", "many-machines", "prometheus"],
  },
  { title: "Reference", guides: ["events", "errors"] },
];

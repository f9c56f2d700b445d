/** The guides in the order of the side list. Each is a file in `docs/`. */
export const shelf: readonly { readonly title: string; readonly guides: readonly string[] }[] = [
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
  { title: "Being told", guides: ["alerts", "maintenance", "locations"] },
  {
    title: "Telling others",
    guides: ["status-pages", "incidents", "subscribers", "uptime", "dashboards"],
  },
  { title: "Asking", guides: ["agent", "agent-grammar", "events", "prometheus", "errors"] },
  { title: "People", guides: ["sign-in", "sign-in-security", "settings"] },
  { title: "Running it", guides: ["install", "configure", "operate", "probes", "many-machines"] },
];

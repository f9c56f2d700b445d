/**
 * Former anchors of headings by guide, with the anchor that replaced each. Links to them keep
 * working. When a heading changes, add a line here.
 */
export const formerAnchors: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  agent: {
    "one-question-four-ways": "ask-with-the-api",
    "in-the-browser": "ask-in-the-application",
    "nothing-is-written-without-you": "confirm-changes",
    "a-model-of-your-choice": "use-a-model-of-your-choice",
  },
  "agent-grammar": {
    "to-and-fro-flapping": "flapping-flapping",
    "posting-it-post": "posting-an-update-post",
    "who-was-told-deliveries": "who-was-notified-deliveries",
  },
  alerts: {
    channels: "add-a-channel",
    when: "when-an-alert-is-sent",
    "what-fired": "read-the-history",
    storms: "handle-many-alerts-at-once",
    delivery: "delivery-and-retries",
  },
  "api-checks": { "results-and-figures": "results" },
  "check-lists": {
    "a-page-of-a-list-in-one-request": "query-a-list",
    "many-checks-at-once": "change-many-checks-at-once",
    "saved-views": "save-a-view",
  },
  checks: {
    "a-first-check": "create-a-check",
    "notes-and-deployments": "add-notes-and-deployments",
    "try-before-saving": "try-a-check-before-saving",
    "when-a-run-is-due": "schedule",
    "what-a-run-says": "verdicts",
    "incidents-from-checks": "open-incidents-automatically",
    "permission-to-ping": "checks",
    "how-the-round-trip-is-measured": "checks",
  },
  dashboards: { "open-dashboards": "unattended-screens" },
  "getting-started": {
    "show-a-status-page": "publish-a-status-page",
    "automate-it": "use-the-api",
  },
  incidents: {
    "in-the-browser": "report-an-incident",
    "by-the-api": "report-an-incident",
    "who-is-told": "notify-subscribers",
  },
  install: {
    "a-probe-elsewhere": "a-probe-on-another-machine",
    upgrading: "upgrade",
    "what-was-tried-and-what-was-not": "what-was-tested",
  },
  locations: {
    "when-a-private-location-goes-dark": "alerts-about-a-silent-location",
    "what-waits": "queue",
    "agreement-and-quarantine": "quarantine",
    "compared-with-other-locations": "compare-locations",
  },
  maintenance: {
    "what-it-silences": "select-the-checks",
    "when-it-recurs": "repeat-a-window",
    "one-occurrence": "change-one-occurrence",
    "by-hand": "start-and-end-by-hand",
  },
  "many-machines": {
    "several-servers": "run-several-servers",
    limits: "rate-limits",
    "one-key-for-secrets": "share-the-encryption-key",
    upgrades: "upgrade-servers",
    "what-servers-remember": "caches",
    "what-each-loop-does-when-there-are-several": "background-loops",
    "what-is-promised-under-faults": "behaviour-under-faults",
    "nats-between-servers-and-probes-elsewhere": "connect-servers-and-remote-probes-with-nats",
    "users-of-nats-for-probes": "nats-users-for-probes",
    "what-it-costs": "cost-of-several-machines",
    "how-far-it-goes": "capacity",
  },
  operate: {
    "starting-and-stopping": "start-and-stop",
    "watching-it": "monitor-the-server",
    "what-is-wrong-the-doctor": "diagnose-problems",
    size: "storage",
    upgrading: "upgrade",
    "when-something-cannot-be-worked-on": "quarantined-rows",
    "backing-up": "back-up",
    "by-itself": "back-up",
    "the-file": "back-up",
    "when-the-disk-is-full-or-read-only": "disk-full-or-read-only",
  },
  probes: {
    "who-runs-what": "which-probe-runs-a-check",
    "what-a-probe-may-do-and-what-a-stolen-key-is-worth": "security",
    "what-one-key-may-cost-a-server": "limits-of-a-key",
    "when-the-link-breaks": "when-the-connection-breaks",
    upgrade: "upgrade-a-probe",
    "what-to-watch": "metrics",
  },
  "sign-in": {
    "the-first-time": "sign-in-for-the-first-time",
    "another-link": "create-a-sign-in-link",
    invites: "invite-people",
    "the-api": "api",
  },
  "ssl-checks": { "the-baseline": "baseline", "assertions-and-figures": "assertions" },
  "status-pages": {
    "what-a-service-follows": "choose-what-a-service-follows",
    pages: "page-settings",
    "a-domain-of-your-own": "custom-domain",
    proof: "custom-domain",
    maintenance: "show-maintenance",
    "the-public-page": "what-readers-see",
    "badge-and-banner-on-another-site": "embed-the-badge-or-banner",
    "what-a-reader-of-a-private-page-sees": "private-pages",
  },
  subscribers: {
    "ways-to-be-told": "types-of-subscription",
    webhooks: "receive-updates-by-webhook",
    "who-is-told-of-what": "who-receives-an-update",
    api: "manage-subscribers",
  },
  "url-checks": {
    "what-is-measured": "measurement",
    "what-is-kept": "limits",
    "redirects-and-secrets": "redirects-and-address-restrictions",
  },
  variables: {
    "of-a-check-and-of-a-group": "variables-of-checks-and-groups",
    "in-a-request": "use-a-variable-in-a-request",
  },
};

/** Lists the former anchors of a heading. */
export function listFormerAnchors(guide: string, anchor: string): string[] {
  const anchors = Object.entries(formerAnchors[guide] ?? {});
  return anchors.filter(([, current]) => current === anchor).map(([former]) => former);
}

export const words = {
  title: "Now",
  notLoaded: "What is wrong now could not be loaded",
  notRenewed: "This could not be renewed; what you see is older.",
  states: "Checks by state",
  incidents: (count: number) => (count === 1 ? "1 open incident" : `${count} open incidents`),
  maintenance: (count: number) => (count === 1 ? "1 maintenance" : `${count} maintenances`),
  wrong: "What is wrong",
  moreWrong: (count: number) => `${count} more are failing or degraded`,
  allPassing: "Everything is passing",
  nothingFails: "Nothing is failing",
  allPassingText: (count: string) =>
    count === "1"
      ? "The check you have reports nothing wrong."
      : `${count} checks report nothing wrong.`,
  noData: (count: string) =>
    count === "1"
      ? "1 has no data yet or has gone silent."
      : `${count} have no data yet or have gone silent.`,
  emptyTitle: "Nothing is watched yet",
  emptyText:
    "Add the first host, address or job. Its first result is on this screen a few seconds later.",
  newCheck: "New check",
  failingFor: { failing: "failing", degraded: "degraded" },
  fromAll: (count: number) => (count === 2 ? "From both locations" : `From all ${count} locations`),
  from: (places: string) => `From ${places}`,
  fineFrom: (places: string) => `fine from ${places}`,
  noReason: "The result that says why is no longer kept.",
  lastHour: "The last hour",
  told: "Told:",
  pending: "being sent",
  dead: "not delivered",
  nobodyTold: "Nobody was told",
  held: {
    muted: "its alerts are muted",
    deactivated: "it is switched off",
    "in-maintenance": "maintenance is under way",
    "location-silent": "its private location is silent, which was told",
    "held-by-parent": "the check it depends on is failing",
    flapping: "it changes too often",
    "probe-suspect": "the probe itself seems to have a problem",
  } as Readonly<Record<string, string>>,
  noChannel: "no channel is set, or its rules ask for more failing runs",
  createIncident: "Create incident",
  createIncidentOf: (name: string) => `Create incident for ${name}`,
  story: "The whole story",
  acknowledge: "Acknowledge",
  acknowledgeOf: (name: string) => `Acknowledge ${name}`,
  acknowledged: (name: string | null) =>
    name === null ? "Acknowledged" : `Acknowledged by ${name}`,
  unacknowledged: "Nobody has acknowledged",
  acknowledgeDone: (name: string) =>
    `${name} is acknowledged: no more reminders until it recovers.`,
  acknowledgeFailed: (why: string) => `Not acknowledged. ${why}`,
  range: "Time range",
  ranges: { "24h": "24 h", "3d": "3 days", "7d": "7 days" },
  since: { "24h": "Since yesterday", "3d": "The last 3 days", "7d": "The last 7 days" },
  nothingHappened: "No check changed its state, and nobody changed anything.",
  activityNotLoaded: "What happened could not be loaded",
  showAll: "Show more",
  became: {
    failing: "failing",
    degraded: "degraded",
    passing: "passing again",
    unknown: "without data",
  } as Readonly<Record<string, string>>,
  maintenanceDid: { started: "maintenance started", ended: "maintenance ended" } as Readonly<
    Record<string, string>
  >,
  actions: {
    "account.created": "created the account",
    "alert-settings.updated": "changed the alert settings",
    "audit-log.exported": "exported the audit log",
    "check-session.triggered": "ran checks at once",
    "member.joined": "joined",
    "session.created": "signed in",
    "session.ended": "signed out",
    "session.others-ended": "signed out everywhere else",
    "sign-in-link.created": "made a sign-in link",
    "totp.created": "set up an authenticator app",
    "totp.removed": "removed an authenticator app",
    "user.password-changed": "changed a password",
    "user.password-reset": "set a new password by mail",
    "user.updated": "changed a profile",
  } as Readonly<Record<string, string>>,
  gone: "a deleted check",
  worse: "Getting worse",
  nothingWorse: "Nothing got worse than in the seven days before, as far as there are enough runs.",
  trendsNotLoaded: "What is getting worse could not be loaded",
  p95: "P95",
  loss: "loss",
  notPassing: "runs not passing",
  expiresIn: (host: string, days: number) =>
    days < 0
      ? `the certificate of ${host} has expired`
      : `the certificate of ${host} expires in ${days === 1 ? "1 day" : `${days} days`}`,
  slots: {
    passing: "passing",
    degraded: "degraded",
    failing: "failing",
    unknown: "no data",
    none: "no run",
  },
} as const;

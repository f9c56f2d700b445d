/** Functions that build URLs of screens of the web application. `base` is PUBLIC_URL. */

export const formatCheckUrl = (base: string, checkId: string) => `${base}/checks/${checkId}`;

export const formatRunUrl = (base: string, checkId: string, resultId: string) =>
  `${formatCheckUrl(base, checkId)}?run=${resultId}`;

/** Returns the URL of a test session, or of one result on the page of the session. */
export const formatTestSessionUrl = (base: string, sessionId: string, resultId?: string) =>
  `${base}/test-sessions/${sessionId}${resultId === undefined ? "" : `#${resultId}`}`;

/**
 * Paths of all screens of the web application. The router, the routes of the server and the tests
 * that open every screen read this table. This file has no imports, so that the application can
 * import it.
 */
export const screens = {
  now: "/",
  checks: "/checks",
  newCheck: "/checks/new",
  check: "/checks/$checkId",
  editCheck: "/checks/$checkId/edit",
  /** The commands `test` and `trigger` of the command line link to this screen. */
  testSession: "/test-sessions/$testSessionId",
  groups: "/groups",
  group: "/groups/$groupId",
  alerts: "/alerts",
  alertStory: "/alerts/$alertId",
  channels: "/alerts/channels",
  newChannel: "/alerts/channels/new",
  channel: "/alerts/channels/$channelId",
  mutes: "/alerts/mutes",
  alertSources: "/alerts/sources",
  maintenance: "/alerts/maintenance",
  maintenanceWindow: "/alerts/maintenance/$windowId",
  onCall: "/on-call",
  policies: "/on-call/policies",
  policy: "/on-call/policies/$policyId",
  onCallReport: "/on-call/report",
  onCallSchedule: "/on-call/$scheduleId",
  incidents: "/incidents",
  newIncident: "/incidents/new",
  incident: "/incidents/$incidentId",
  incidentTemplates: "/incidents/templates",
  incidentTemplate: "/incidents/templates/$templateId",
  incidentStatistics: "/incidents/statistics",
  statusPages: "/status-pages",
  newStatusPage: "/status-pages/new",
  statusPage: "/status-pages/$statusPageId",
  locations: "/locations",
  location: "/locations/$region",
  dashboards: "/dashboards",
  /** The path must differ from `/dashboards/…`, which serves the published dashboards. */
  editDashboard: "/edit-dashboard/$dashboardId",
  settings: "/settings",
  /** Screen on which a user confirms the sign-in of a command line. */
  device: "/device",
} as const;

/** Paths of the tabs below `screens.statusPage`. */
export const statusPageTabs = {
  editor: "/editor",
  access: "/access",
  domain: "/domain",
  subscribers: "/subscribers",
  snapshots: "/snapshots",
} as const;

/** Paths of the sections below `screens.settings`. */
export const settingsSections = {
  profile: "/profile",
  security: "/security",
  devices: "/devices",
  contactMethods: "/contact-methods",
  apiKeys: "/api-keys",
  members: "/members",
  variables: "/variables",
  snippets: "/snippets",
  clientCertificates: "/client-certificates",
  audit: "/audit",
  alerts: "/alerts",
  agent: "/agent",
  servers: "/servers",
  runtimes: "/runtimes",
  import: "/import",
  backups: "/backups",
  doctor: "/doctor",
  about: "/about",
} as const;

/** Paths of the screens for people who are not signed in. */
export const publicScreens = {
  signIn: "/sign-in",
  invite: "/invite",
  resetPassword: "/reset-password",
  confirmEmail: "/confirm-email",
} as const;

/** Lists the full paths of all screens, with parameters as in `/checks/$checkId`. */
export function listScreenPaths(): readonly string[] {
  return [
    ...Object.values(screens),
    ...Object.values(statusPageTabs).map((tab) => `${screens.statusPage}${tab}`),
    ...Object.values(settingsSections).map((section) => `${screens.settings}${section}`),
    ...Object.values(publicScreens),
  ];
}

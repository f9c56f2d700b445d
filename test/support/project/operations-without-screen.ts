const anyKind = "Screens use the operation for checks of any kind, which accepts the same bodies.";
const series = "Charts use the series, which cost the same for a day and a month.";
const inList = "Screens use the list, or the resource that it belongs to.";
const program = "For programs: screens show the same with other operations.";
const job = "Called by the monitored job.";
const addresses = "Locations shows the addresses of each location.";
const runs = "Runs and metrics of a heartbeat are shown like those of every check.";

const clients = "For existing clients: screens show the same with other operations.";

const code =
  "For programs that deploy monitoring as code; screens show which project owns a resource.";

const kinds = [
  "Icmp",
  "Api",
  "Tcp",
  "Dns",
  "Ssl",
  "Grpc",
  "Traceroute",
  "MultiStep",
  "Playwright",
  "Browser",
  "Heartbeat",
  "Url",
];

/** Operations that no screen uses, each with the reason. */
export const operationsWithoutScreen: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    kinds.flatMap((kind) => [
      [`create${kind}Check`, anyKind],
      [`update${kind}Check`, anyKind],
      [`get${kind}Analytics`, series],
    ]),
  ),
  listCheckAnalytics: series,
  listAnnotations: "Charts show those that apply to a check, as part of its timeline.",
  getMute: inList,
  getContactMethod: inList,
  updateContactMethod: "Screens add another contact method and remove the old one.",
  updateMute: "Screens replace the end with the operation for several targets.",
  listCheckStatuses: "The list of checks includes the states.",
  replaceIncident: "The application changes only the edited fields, with PATCH.",
  listHeartbeatEvents: runs,
  getHeartbeatEvent: runs,
  getHeartbeatAvailability: runs,
  getAlertNotification: inList,
  getApiKey: inList,
  getClientCertificate: inList,
  getPrivateLocation: inList,
  getServiceStatus: inList,
  getMaintenance: inList,
  listCheckGroupChecks: inList,
  listIncidentUpdates: inList,
  listMaintenanceWindows: inList,
  listStatusPageImages: inList,
  listConfirmations: "Cards are shown where they were requested; their tokens stay in that tab.",
  createStatusPageSubscriptions: "The import accepts as many and reports the fault of each line.",
  getCheckSession: "Runs appear through the event stream, without fetching their session.",
  deletePostMortem:
    "The application unpublishes or empties a post-mortem; removing it is for scripts.",
  deleteMaintenance: "Skipping an occurrence does the same, and can be undone.",
  listIPv4Addresses: addresses,
  listIPv4AddressesAsText: addresses,
  listIPv6Addresses: addresses,
  listIPv6AddressesAsText: addresses,
  getOnCallCalendar: "For calendar programs.",
  downloadAsset: "Run pages link to it with the addresses in the list of files.",
  listClientAccounts: clients,
  getClientAccount: clients,
  getClientUser: clients,
  startDeviceLogin: clients,
  pollDeviceLogin: clients,
  getDeviceUser: clients,
  createDeviceKey: clients,
  getOwnEntitlements: clients,
  getEntitlements: clients,
  listErrorGroups: clients,
  getErrorGroup: clients,
  getRootCauseAnalysis: clients,
  exportResourcesAsCode: clients,
  checkGitHubReports: clients,
  getUsageTerms: clients,
  getUsageSummary: clients,
  listUsage: clients,
  getSnippet: "The list has the scripts.",
  ...Object.fromEntries(
    ["Check", "CheckGroup"].flatMap((subject) =>
      ["get", "create", "delete", "call", "post"].map((verb) => [
        `${verb}${subject}Trigger`,
        clients,
      ]),
    ),
  ),
  ...Object.fromEntries(
    [
      ...["runTestSession", "triggerTestSession", "listTestSessions"],
      ...["getTestResult", "waitForTestSession", "waitForTestScheduling", "cancelTestSession"],
      ...["listTestResultAssets", "getTestLog", "getTestRunData"],
      ...["getTestSessionLink", "listTestResultLinks"],
      ...["uploadSnapshot", "peekCodeBundle", "downloadBundle"],
    ].map((id) => [id, "For the command line; the editor of a check runs it with `tryCheck`."]),
  ),
  ...Object.fromEntries(
    [
      ...["get", "update", "delete"].flatMap((verb) => [
        `${verb}ComponentPage`,
        `${verb}StatusPageComponent`,
      ]),
      ...["createComponentPage", "listComponentPages"],
    ].map((id) => [id, "For existing clients: the editor changes cards."]),
  ),
  createCheckGroupV2: clients,
  listWholeCheckResults: clients,
  updateCheckGroupV2: clients,
  exportProject: code,
  previewProject: code,
  deployProject: code,
  deleteProject: code,
  listProjects: code,
  listDeployments: code,
  streamDeployment: code,
  awaitDeployment: code,
  cancelDeployment: code,
  createClientProject: clients,
  getClientProject: clients,
  listProjectImports: clients,
  planProjectImport: clients,
  applyProjectImport: clients,
  commitProjectImport: clients,
  cancelProjectImport: clients,
  scrapeChecks: program,
  scrapeChecksOfAccount: program,
  callMcp: program,
  getHealth: program,
  getReadiness: program,
  pingKumaAddress: job,
  postKumaAddress: job,
  postGatusAddress: job,
  pingHealthchecksAddress: job,
  pingHealthchecksSignal: job,
  pingHealthchecksSlugSignal: job,
  postHealthchecksAddress: job,
  postHealthchecksSignal: job,
  postHealthchecksSlugSignal: job,
  getImport: inList,
  deleteImport: "Old records do no harm; removing them is for scripts.",
  pingHeartbeat: job,
  postHeartbeat: job,
  signalHeartbeat: job,
  postHeartbeatSignal: job,
};

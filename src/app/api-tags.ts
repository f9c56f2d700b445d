/** Sections of the API reference, in order. */
export const apiTags = [
  {
    name: "Checks",
    description: "What is monitored, how often, from where, and what counts as a failure.",
  },
  {
    name: "Check lists",
    description: "Filtered and sorted lists of checks with counts, and saved views.",
  },
  {
    name: "Check groups",
    description: "Groups of checks that share locations, alert settings and channels.",
  },
  { name: "Results", description: "Measurements of each run of a check." },
  { name: "Statuses", description: "Current status of each check, with its reason." },
  { name: "Annotations", description: "Notes and deployments on the charts of checks." },
  { name: "Check sessions", description: "Runs on request, outside the schedule." },
  { name: "Analytics", description: "Availability, latency and other metrics over time." },
  { name: "Heartbeats", description: "Pings of jobs, and missed pings." },
  { name: "Badges", description: "The status of a check as an image for a web page." },
  { name: "Alert channels", description: "Where alerts are sent, and which checks send there." },
  {
    name: "Variables",
    description: "Named values for the requests of checks, such as tokens and hosts.",
  },
  {
    name: "Client certificates",
    description: "Certificates that checks present to servers with mutual TLS.",
  },
  {
    name: "Alert settings",
    description: "Default alert settings of an account's checks.",
  },
  {
    name: "Alerts",
    description: "Alerts of each check, and the delivery of each message.",
  },
  {
    name: "Maintenance windows",
    description: "Maintenance windows, during which no alerts are sent.",
  },
  { name: "Services", description: "Services shown on status pages and affected by incidents." },
  { name: "Status pages", description: "Public or private status pages." },
  { name: "Status page keys", description: "Keys for access to private status pages." },
  {
    name: "Status page subscriptions",
    description: "Recipients of incident and maintenance notifications.",
  },
  { name: "Incidents", description: "Incidents and their updates on status pages." },
  { name: "Incident templates", description: "Reusable texts for incidents and updates." },
  { name: "Dashboards", description: "Live overviews of checks, also for TV screens." },
  { name: "Overview", description: "Current problems, recent events and trends." },
  { name: "Events", description: "Stream of change notifications." },
  { name: "Prometheus", description: "States and metrics of checks for a Prometheus server." },
  { name: "Accounts", description: "Accounts that a caller may act for." },
  { name: "Members", description: "Members of an account, and invitations." },
  { name: "Users", description: "The signed-in user." },
  {
    name: "Sessions",
    description: "Sign-in for browsers: passwords, one-time links, password resets.",
  },
  {
    name: "Second factors",
    description: "Authenticator apps, recovery codes and passkeys.",
  },
  { name: "API keys", description: "API keys for programs." },
  { name: "Audit log", description: "Log of changes and who made them." },
  { name: "Locations", description: "Locations where checks run, and their live probes." },
  {
    name: "Private locations",
    description: "Your own locations for checks, and the keys of their probes.",
  },
  { name: "Source addresses", description: "Source addresses of checks, for firewalls." },
  { name: "Runtimes", description: "Runtimes: named sets of packages for scripts." },
  { name: "Agent", description: "Questions in plain English, and tools for models." },
  { name: "Backups", description: "Backups of the whole installation, for admins." },
  { name: "Service", description: "The server itself, for load balancers and Prometheus." },
] as const;

/** Route of the probes that are part of a server. */
export const builtInRoute = "built-in";

const resultPrefix = "results.";

/**
 * Bus subjects. A *route* is `built-in`, a public region, or the id of a private location. A probe
 * connected to NATS has its user as the last part; NATS permissions enforce that.
 */
export const subjects = {
  /** Subjects of the built-in probes and of results that the server creates itself. */
  orders: `orders.${builtInRoute}`,
  results: `${resultPrefix}${builtInRoute}`,
  allResults: `${resultPrefix}>`,
  /** Subject for messages of a route's probes about trials that this server ordered. */
  trialMessagesOf: (serverId: string, route: string) => `news.${serverId}.${route}`,
  allTrialMessages: (serverId: string) => `news.${serverId}.>`,
  allProbes: "probes.>",
  ordersOf: (route: string) => `orders.${route}`,
  resultsOf: (route: string) => `${resultPrefix}${route}`,
  resultsFrom: (route: string, user: string) => `${resultPrefix}${route}.${user}`,
  trialEventsFrom: (serverId: string, route: string, user: string) =>
    `news.${serverId}.${route}.${user}`,
  probesFrom: (user: string) => `probes.${user}`,
} as const;

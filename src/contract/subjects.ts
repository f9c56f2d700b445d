/**
 * Bus subjects. A *route* is `built-in`, a public region, or the id of a private location. A probe
 * connected to NATS has its user as the last part; NATS permissions enforce that.
 */
export const natsSubjects = {
  ordersOf: (route: string) => `orders.${route}`,
  resultsFrom: (route: string, user: string) => `results.${route}.${user}`,
  trialEventsFrom: (serverId: string, route: string, user: string) =>
    `news.${serverId}.${route}.${user}`,
  probesFrom: (user: string) => `probes.${user}`,
} as const;

/**
 * Where what crosses the bus is published. A *route* is `built-in`, a public region, or the id of a
 * private location. A probe that is on NATS itself has its user as the last part; NATS sees to it.
 */
export const natsSubjects = {
  ordersOf: (route: string) => `orders.${route}`,
  resultsFrom: (route: string, user: string) => `results.${route}.${user}`,
  trialEventsFrom: (serverId: string, route: string, user: string) =>
    `news.${serverId}.${route}.${user}`,
  probesFrom: (user: string) => `probes.${user}`,
} as const;

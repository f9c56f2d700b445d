/**
 * Whom we tell. A *subscriber* of a status page signs up and confirms; an *announcement* of an
 * incident or of maintenance becomes one *delivery* per subscriber, which is a row until it is
 * delivered or given up; every message says how to unsubscribe.
 * Tables: subscribers, announcements, subscriber_deliveries.
 */
export { announce, notifiedCountQuery } from "./announcement-store.ts";
export { type Audience, mapAudiences } from "./audience-store.ts";
export { createSignUpLimits, createSubscriberMetrics, type SubscribersContext } from "./context.ts";
export { startSubscriberLoops } from "./loops.ts";
export { addSubscriberRoutes } from "./routes.ts";
export { listSealedInSubscribers } from "./sealed-store.ts";
export { mapSubscriberCounts } from "./store.ts";

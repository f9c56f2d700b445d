/**
 * Subscribers of status pages. A *subscriber* signs up and confirms. An *announcement* of an
 * incident or of maintenance becomes one *delivery* per subscriber, a row that exists until it is
 * delivered or abandoned. Every message contains a link to unsubscribe. Tables: subscribers,
 * announcements, subscriber_deliveries. Views: notified_counts.
 */
export { type Audience, announce, mapAudiences } from "./announcement-store.ts";
export { createSignUpLimits, createSubscriberMetrics, type SubscribersContext } from "./context.ts";
export { startSubscriberLoops } from "./deliverer.ts";
export { addSubscriberRoutes } from "./routes.ts";
export { listSealedInSubscribers, mapSubscriberCounts } from "./store.ts";

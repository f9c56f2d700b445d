/**
 * Pings of jobs. A job *pings* a URL with a secret token. The *intake* stores pings in batches. A
 * loop *judges* which pings are missing, by the clock of the database. Received and missing pings
 * become results (*events*), which are recorded like results of a probe. A *push address* is an
 * address that jobs have pinged at another monitor. This server accepts it, so that these jobs can
 * ping a check here. Tables: heartbeats, heartbeat_reviews, ping_service, push_addresses.
 */
export type { HeartbeatsContext } from "./context.ts";
export { createPingLimits } from "./context.ts";
export { readDatabaseMs } from "./heartbeat-store.ts";
export { startHeartbeatLoops } from "./judge.ts";
export { PingIntake } from "./ping-intake.ts";
export type { AddressForm } from "./push-addresses/push-address-store.ts";
export { addPushAddresses } from "./push-addresses/push-addresses.ts";
export { addHeartbeatRoutes } from "./routes.ts";

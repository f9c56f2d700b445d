/**
 * Runs that come in by themselves. A job *pings* an address with a secret in it; the *intake*
 * stores pings in batches, and a loop *judges* by the clock of the database which pings were
 * missed. Both become results, recorded as those of a probe are. An *event* is such a result.
 * Tables: heartbeats, heartbeat_reviews, ping_service.
 */
export type { HeartbeatsContext } from "./context.ts";
export { startHeartbeatLoops } from "./loops.ts";
export { PingIntake } from "./ping-intake.ts";
export { createPingLimits } from "./ping-limits.ts";
export { addHeartbeatRoutes } from "./routes.ts";
export { readDatabaseMs } from "./service-store.ts";

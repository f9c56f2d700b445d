/**
 * The servers of this installation. Each server reports every two seconds that it is alive
 * (*presence*), by the clock of the database. Each server therefore knows how many servers are
 * alive, and shards and limits are divided among them. Tables: servers.
 */
export { Presence } from "./presence.ts";
export {
  type Condition,
  describeOverload,
  findWorstOverload,
  forgetLostServers,
  listServers,
  lookEveryMs,
  maxClockSkewMs,
  overloadAdvice,
  type Server,
  toSkippedPercent,
} from "./server-store.ts";

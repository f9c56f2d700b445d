/**
 * The servers of this installation. Each reports itself every two seconds (*presence*), by the
 * clock of the database, and so knows how many others are alive: shards and limits are shared among
 * them. Tables: servers.
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

/**
 * The servers of this installation. Each server reports every two seconds that it is alive
 * (*presence*), with the time of the database clock. All servers therefore know the number of live
 * servers, among which shards and limits are divided. Tables: servers.
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

/**
 * Live updates: the event stream of the account invalidates the queries of changed objects. While
 * it is interrupted, the shell shows since when the data may be stale.
 */
export { StaleLine } from "./stale-line.tsx";

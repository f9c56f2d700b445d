/**
 * Live updates: the event stream of the account invalidates the queries of changed objects. While
 * the stream is interrupted, a line shows since when there have been no updates.
 */
export { StaleLine } from "./stale-line.tsx";

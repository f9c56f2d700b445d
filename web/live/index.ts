/**
 * Live updates: the event stream of the account invalidates the queries of changed objects. While
 * the stream is interrupted, a line shows how long the data may have been out of date.
 */
export { StaleLine } from "./stale-line.tsx";

/**
 * First steps of a new account: a check, an alert channel and a status page. Also removes the
 * example that the server creates.
 */
export { FirstStart, useFirstSteps } from "./first-start.tsx";

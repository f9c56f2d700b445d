/**
 * First steps of a new account: a check, an alert channel and a status page. Also removes the
 * example that the server creates.
 */
import { lazy } from "react";

export { useFirstSteps } from "./queries.ts";

/** Loaded when it is shown, because the code of the first screen must stay small. */
export const FirstStart = lazy(() =>
  import("./first-start.tsx").then((module) => ({ default: module.FirstStart })),
);

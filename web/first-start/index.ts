/**
 * First steps of a new account: create a check, an alert channel and a status page. Also removes
 * the example objects that the server creates on its first start.
 */
import { lazy } from "react";

export { useFirstSteps } from "./queries.ts";

/** Loaded on demand, because the code of the first screen must stay small. */
export const FirstStart = lazy(() =>
  import("./first-start.tsx").then((module) => ({ default: module.FirstStart })),
);

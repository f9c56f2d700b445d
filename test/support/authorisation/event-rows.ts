import { type Row, read } from "./authorisation-row.ts";

export const eventRows: readonly Row[] = [
  read("/v1/overview"),
  read("/v1/overview/activity"),
  read("/v1/overview/groups"),
  read("/v1/overview/shared-hops"),
  read("/v1/overview/trends"),
  { ...read("/v1/events"), request: () => ({ path: "/v1/events?seconds=0" }) },
];

import type { Row } from "./authorisation-row.ts";

export const operationRows: readonly Row[] = [
  {
    route: "GET /v1/backups",
    least: "ADMIN",
    request: () => ({ path: "/v1/backups" }),
    status: 200,
  },
  {
    route: "GET /v1/doctor",
    least: "ADMIN",
    request: () => ({ path: "/v1/doctor" }),
    status: 200,
  },
  // The server of these tests has no backup folder. Only permitted callers receive the error about
  // this.
  {
    route: "POST /v1/backups",
    least: "ADMIN",
    request: () => ({ path: "/v1/backups" }),
    status: 409,
    isUnaudited: true,
  },
];

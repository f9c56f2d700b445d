import { type Row, read } from "./authorisation-row.ts";

export const prometheusRows: readonly Row[] = [
  read("/v1/prometheus"),
  {
    route: "GET /accounts/:accountId/v2/prometheus/metrics",
    least: "READ_ONLY",
    request: ({ test: app }) => ({
      path: `/accounts/${app.owner.accountId}/v2/prometheus/metrics`,
    }),
    status: 200,
  },
];

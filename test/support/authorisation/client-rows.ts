import { type Row, read, type Scene } from "./authorisation-row.ts";

async function newCheck({ test: app }: Scene): Promise<string> {
  const body = { name: "Router", request: { hostname: "192.0.2.1" } };
  return (await app.call("POST", "/v1/checks/icmp", { body })).body.id;
}

export const clientRows: readonly Row[] = [
  read("/next/accounts"),
  {
    route: "GET /next/accounts/:accountId",
    least: "READ_ONLY",
    request: ({ test: app }) => ({ path: `/next/accounts/${app.owner.accountId}` }),
    status: 200,
  },
  read("/next/users/me"),
  read("/v1/accounts/me/entitlements"),
  {
    route: "GET /v1/accounts/:accountId/entitlements",
    least: "READ_ONLY",
    request: ({ test: app }) => ({ path: `/v1/accounts/${app.owner.accountId}/entitlements` }),
    status: 200,
  },
  {
    route: "GET /v1/error-groups/checks/:checkId",
    least: "READ_ONLY",
    request: async (scene) => ({ path: `/v1/error-groups/checks/${await newCheck(scene)}` }),
    status: 200,
    isScoped: true,
  },
];

import type { Row, Scene } from "./authorisation-row.ts";

const pathOf = ({ test: app }: Scene, rest: string) =>
  `/accounts/${app.owner.accountId}/ai/${rest}`;

const muteCall = (checkId: string) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "mute_check", arguments: { checkId, muted: true } },
});

/**
 * Proposes an action over MCP and returns the confirmation token of the owner, who lists the
 * proposals. The check is deleted first, so that the confirmation creates exactly one audit entry.
 */
async function propose(scene: Scene): Promise<{ readonly id: string; readonly token: string }> {
  const { test: app } = scene;
  const body = { name: "watched", activated: false, request: { hostname: "127.0.0.1" } };
  const { id } = (await app.call("POST", "/v1/checks/icmp", { body })).body;
  await app.call("POST", "/mcp", { body: muteCall(id) });
  await app.call("DELETE", `/v1/checks/${id}`);
  const { body: waiting } = await app.call("GET", pathOf(scene, "confirmations"));
  return waiting[0];
}

export const agentRows: readonly Row[] = [
  {
    route: "POST /accounts/:accountId/ai/agents/stream",
    least: "READ_ONLY",
    request: (scene) => ({
      path: pathOf(scene, "agents/stream"),
      body: { messages: [{ role: "user", content: "What is failing?" }] },
    }),
    status: 200,
    isScoped: true,
    // The operation only reads data, although it uses POST.
    isUnaudited: true,
  },
  {
    route: "GET /accounts/:accountId/ai/agents/exchanges",
    least: "ADMIN",
    request: (scene) => ({ path: pathOf(scene, "agents/exchanges") }),
    status: 200,
    isScoped: true,
  },
  {
    route: "GET /accounts/:accountId/ai/confirmations",
    least: "READ_RUN",
    request: (scene) => ({ path: pathOf(scene, "confirmations") }),
    status: 200,
    isScoped: true,
  },
  {
    route: "POST /accounts/:accountId/ai/confirmations",
    least: "READ_RUN",
    request: async (scene) => ({
      path: pathOf(scene, "confirmations"),
      body: { token: (await propose(scene)).token },
    }),
    status: 200,
    // The token belongs to the owner's key. Any other permitted key is rejected with 400.
    serviceKeyStatus: 400,
    isScoped: true,
  },
  {
    route: "DELETE /accounts/:accountId/ai/confirmations/:confirmationId",
    least: "READ_RUN",
    request: async (scene) => ({
      path: pathOf(scene, `confirmations/${(await propose(scene)).id}`),
    }),
    status: 204,
    isScoped: true,
  },
  {
    route: "POST /mcp",
    least: "READ_ONLY",
    request: () => ({
      path: "/mcp",
      body: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
    }),
    status: 200,
    isUnaudited: true,
  },
];

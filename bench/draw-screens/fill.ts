/** Fills the screens of the screenshots through the API, with nothing, a little or a lot. */
import type { ShownThings } from "../../test/support/browsers/screens.ts";
import type { Targets } from "./targets.ts";

export const amounts = ["empty", "few", "many"] as const;
export type Amount = (typeof amounts)[number];

export type Filled = ShownThings;

type Input = Readonly<Record<string, unknown>>;
type Ask = (method: string, path: string, body?: unknown) => Promise<{ readonly id: string }>;

const manyChecks = 5_000;
const atOnce = 8;
const longName =
  "checkout of the shop in Frankfurt, from the basket to the confirmation of the payment "
    .repeat(2)
    .slice(0, 120);

export function createAsk(url: string, key: string): Ask {
  return async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    const made = text === "" ? {} : JSON.parse(text);
    return { id: made.dashboardId ?? made.id ?? "" };
  };
}

type Fewer = readonly (readonly [kind: string, body: Input])[];
const often = { frequency: 0, frequencyOffset: 10 };

function listWebChecks({ httpUrl }: Targets, groupId: string): Fewer {
  const url = (path: string) => ({ ...often, request: { url: `${httpUrl}${path}` } });
  const slow = { degradedResponseTime: 300, maxResponseTime: 2_000 };
  return [
    ["url", { name: "Website", tags: ["web", "public"], groupId, ...url("/health") }],
    ["url", { name: longName, tags: ["web", "public", "checkout"], ...url("/health") }],
    ["url", { name: "Old address of the website", tags: ["web"], ...url("/moved") }],
    ["url", { name: "Billing", tags: ["web", "money"], groupId, ...url("/broken") }],
    ["url", { name: "Search", ...slow, ...url("/slow") }],
  ];
}

function listApiChecks({ httpUrl }: Targets): Fewer {
  const isShorter = (target: string) => ({
    source: "JSON_BODY",
    property: "$.queue.length",
    comparison: "LESS_THAN",
    target,
  });
  const isFound = { source: "STATUS_CODE", comparison: "EQUALS", target: "200" };
  const api = (path: string, ...assertions: readonly Input[]) => ({
    ...often,
    tags: ["api"],
    request: { url: `${httpUrl}${path}`, method: "GET", assertions },
  });
  return [
    ["api", { name: "Orders API", ...api("/orders", isFound, isShorter("10")) }],
    ["api", { name: "Queue is short", ...api("/queue", isShorter("2")) }],
  ];
}

function listNetworkChecks(targets: Targets, groupId: string): Fewer {
  const { tcpPort, tlsPort, dnsPort, closedPort } = targets;
  const ping = (hostname: string) => ({ ...often, request: { hostname } });
  const tcp = (port: number) => ({ ...often, request: { hostname: "127.0.0.1", port } });
  const dns = { query: "www.example.com", recordType: "A", nameServer: "127.0.0.1", port: dnsPort };
  const ssl = { hostname: "127.0.0.1", port: tlsPort, serverName: "shop.example" };
  const sslConfig = { ...ssl, skipChainValidation: true };
  return [
    ["icmp", { name: "db1", tags: ["database"], ...ping("127.0.0.1") }],
    ["icmp", { name: "db-2.fra", tags: ["database"], groupId, ...ping("127.0.0.2") }],
    ["icmp", { name: "gateway", ...ping("gateway.invalid") }],
    ["icmp", { name: "Old printer", muted: true, ...ping("127.0.0.9") }],
    ["tcp", { name: "Mail server", ...tcp(tcpPort) }],
    ["tcp", { name: "Cache", ...tcp(closedPort) }],
    ["dns", { name: "Name server", ...often, request: dns }],
    ["ssl", { name: "Certificate of the shop", ...often, request: { sslConfig } }],
  ];
}

/** Checks of every type, with various results. */
function listFewChecks(targets: Targets, groupId: string): Fewer {
  const heartbeat = { period: 1, periodUnit: "days", grace: 1, graceUnit: "hours" };
  return [
    ...listNetworkChecks(targets, groupId),
    ...listWebChecks(targets, groupId),
    ...listApiChecks(targets),
    ["heartbeat", { name: "Nightly backup", heartbeat }],
  ];
}

/** A status page with cards and an incident, a dashboard and a recurring maintenance window. */
async function showSome(ask: Ask): Promise<Filled> {
  const made = async (path: string, body: Input) => (await ask("POST", path, body)).id;
  const services: string[] = [];
  for (const name of ["Shop", "Payments", longName, "Search"]) {
    services.push(await made("/v1/status-pages/services", { name }));
  }
  const card = (name: string, ids: readonly string[]) => ({
    name,
    services: ids.map((id) => ({ id })),
  });
  const statusPageId = await made("/v1/status-pages", {
    ...{ name: "Acme status", url: "acme" },
    cards: [card("For customers", services.slice(0, 3)), card("Inside", services.slice(3))],
  });
  const incidentId = await made("/v1/status-pages/incidents", {
    ...{ name: "Payments take longer than usual", severity: "MAJOR" },
    services: [{ id: services[1] }],
    incidentUpdates: [{ description: "We are investigating." }],
  });
  const dashboardId = await made("/v1/dashboards", {
    header: "Acme",
    customUrl: "acme-wall",
    isPrivate: false,
  });
  const windowId = await made("/v1/maintenance-windows", {
    name: "Patch night",
    startsAt: new Date(Date.now() + 3_600_000).toISOString(),
    endsAt: new Date(Date.now() + 7_200_000).toISOString(),
    repeatUnit: "WEEK",
    repeatInterval: 1,
    tags: ["database"],
  });
  return { statusPageId, incidentId, dashboardId, windowId };
}

async function addSchedule(ask: Ask): Promise<string> {
  const { id: owner } = await ask("GET", "/v1/users/me");
  const rotation = { unit: "WEEK", handoffTime: "09:00" };
  const layer = { name: "Weekly", participants: [owner], rotation, start: "2026-01-05T09:00" };
  return (await ask("POST", "/v1/on-call/schedules", { name: "Primary", layers: [layer] })).id;
}

async function fillFew(ask: Ask, targets: Targets): Promise<Filled> {
  const { id: groupId } = await ask("POST", "/v1/check-groups", { name: "Shop" });
  await ask("POST", "/v1/alert-channels", {
    type: "WEBHOOK",
    config: { name: "Pager", url: targets.hookUrl },
  });
  await ask("POST", "/v1/alert-channels", {
    type: "EMAIL",
    config: { address: "ops@example.com" },
  });
  await ask("POST", "/v1/api-keys", { name: "Deployments", type: "SERVICE", role: "READ_WRITE" });
  const ids: string[] = [];
  for (const [kind, body] of listFewChecks(targets, groupId)) {
    ids.push((await ask("POST", `/v1/checks/${kind}`, body)).id);
  }
  const scheduleId = await addSchedule(ask);
  return { ...(await showSome(ask)), scheduleId, checkId: ids[0] ?? null };
}

/** Many checks that run once a day, so that the machine has time to draw. */
async function fillMany(ask: Ask, targets: Targets): Promise<Filled> {
  const filled = await fillFew(ask, targets);
  const cities = ["fra", "par", "tyo", "nyc", "syd", "sao"];
  let next = 0;
  const createSome = async () => {
    for (let index = next++; index < manyChecks; index = next++) {
      const city = cities[index % cities.length];
      await ask("POST", "/v1/checks/icmp", {
        name: `host-${String(index).padStart(4, "0")}.${city}`,
        frequency: 1_440,
        tags: [city, index % 3 === 0 ? "database" : "web"],
        request: { hostname: `127.${index % 200}.${(index >> 8) % 200}.${1 + (index % 250)}` },
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, createSome));
  return filled;
}

export function fill(amount: Amount, ask: Ask, targets: Targets): Promise<Filled> {
  if (amount === "empty") return Promise.resolve({});
  return amount === "few" ? fillFew(ask, targets) : fillMany(ask, targets);
}

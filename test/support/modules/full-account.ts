import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { allKinds } from "../../../src/kinds/index.ts";
import type { TestApp } from "../apps/app.ts";
import { makeCertificate } from "../certificates/make-certificate.ts";
import { createPng, toDataUrl } from "../inputs/pictures.ts";
import { createChannelConfigs } from "./channel-configs.ts";

const dollar = "$";
const certificate = makeCertificate({ name: "client" });
const hook = "https://hooks.example.test";
const configs = createChannelConfigs(hook);

async function create(app: TestApp, path: string, body: object) {
  const answer = await app.call("POST", path, { body });
  assert.equal(answer.status, 201, `${path} ${answer.text}`);
  return answer.body;
}

async function fillSettings(app: TestApp): Promise<void> {
  await create(app, "/v1/variables", {
    key: "HOST",
    value: `192.0.2.7 ${dollar}{HOME} $${dollar}{x}`,
  });
  await create(app, "/v1/variables", { key: "TOKEN", value: "concealed", secret: true });
  const { cert, key } = certificate;
  await create(app, "/v1/client-certificates", { host: "api.example.test", cert, key });
  await create(app, "/v1/snippets", {
    name: "Sign in",
    script: `const a = "${dollar}{b}";\nrun(a);\n`,
  });
  const place = { name: "Lab", slugName: "lab-one" };
  await create(app, "/v1/private-locations", place);
}

/**
 * Creates two checks of each type with equal names, one of them in the group, and returns their
 * ids.
 */
async function createChecks(app: TestApp, groupId: number): Promise<string[]> {
  const checkIds: string[] = [];
  for (const { type, operations } of allKinds) {
    const answer = await app.call("POST", "/v1/checks/many", {
      body: {
        checks: [
          {
            checkType: type,
            name: `A ${type}`,
            activated: false,
            groupId,
            ...operations.example,
          },
          {
            checkType: type,
            name: `A ${type}`,
            activated: false,
            tags: ["b", "a"],
            ...operations.example,
          },
        ],
      },
    });
    assert.equal(answer.body.created, 2, answer.text);
    checkIds.push(...answer.body.items.map((item: { id: string }) => item.id));
  }
  return checkIds;
}

/**
 * Creates a schedule, a channel that pages the schedule, and policies, one of which is the
 * account's policy.
 */
async function createOnCall(app: TestApp, channelId: number) {
  const { id: userId } = (await app.call("GET", "/v1/users/me")).body;
  const rotation = { unit: "DAY", interval: 2, handoffTime: "08:30", handoffDay: "MONDAY" };
  const layer = { name: "Daily", participants: [userId], rotation, start: "2026-11-16T08:30" };
  const nights = { days: ["FRIDAY", "SATURDAY"], from: "18:00", to: "08:00" };
  const { id: scheduleId } = await create(app, "/v1/on-call/schedules", {
    ...{ name: "Primary", timezone: "Europe/Berlin", warnAboutGaps: false },
    layers: [layer, { ...layer, name: "Nights", restrictions: [nights] }],
  });
  for (const target of [{ scheduleId }, { userId }]) {
    const config = { name: `Page ${Object.keys(target)[0]}`, ...target };
    await create(app, "/v1/alert-channels", { type: "ONCALL", config });
  }
  const first = { afterMinutes: 0, targets: [{ scheduleId }] };
  const last = { afterMinutes: 15, targets: [{ userId }, { channelId }] };
  const ranges = [{ days: ["MON"], from: "09:00", to: "17:00" }];
  const policy = (body: object) => create(app, "/v1/escalation-policies", body);
  const { id: day } = await policy({
    ...{ name: "Day", steps: [first, last], repeat: 2, repeatAfterMinutes: 5 },
    ...{ useFallback: false, supportHours: { timeZone: "Europe/Berlin", ranges } },
  });
  const { id: night } = await policy({ name: "Night", steps: [last] });
  const { id: escalationPolicyId } = await policy({ name: "All", steps: [first] });
  const settings = await app.call("PUT", "/v1/alert-settings", { body: { escalationPolicyId } });
  assert.equal(settings.status, 200, settings.text);
  return { day, night };
}

/** Fills an account with every type of resource, created individually through the API. */
export async function fillAccount(app: TestApp): Promise<void> {
  await fillSettings(app);
  const channels = [];
  for (const [type, config] of Object.entries(configs)) {
    // The on-call channel type is skipped, because it needs a schedule or a member of this account.
    if (type === "ONCALL") continue;
    channels.push(await create(app, "/v1/alert-channels", { type, config, sendDegraded: true }));
  }
  const policies = await createOnCall(app, channels[0].id);
  const service = await create(app, "/v1/status-pages/services", { name: "API" });
  const group = await create(app, "/v1/check-groups", {
    name: "Core",
    useGlobalAlertSettings: false,
    alertSettings: { escalationPolicyId: policies.night },
    tags: ["core"],
    privateLocations: ["lab-one"],
    alertChannelSubscriptions: [{ alertChannelId: channels[0].id, activated: false }],
    environmentVariables: [
      { key: "OPEN", value: "seen" },
      { key: "CLOSED", value: "concealed", locked: true },
    ],
    apiCheckDefaults: { basicAuth: { username: "u", password: "concealed" } },
  });
  const checkIds = await createChecks(app, group.id);
  const ping = await create(app, "/v1/checks/icmp", {
    name: "Router: main",
    frequency: 0,
    frequencyOffset: 30,
    request: { hostname: "192.0.2.1", pingCount: 3 },
    privateLocations: ["lab-one"],
    retryStrategy: { type: "FIXED", baseBackoffSeconds: 5, maxRetries: 1 },
    alertChannelSubscriptions: channels.slice(0, 2).map(({ id }) => {
      return { alertChannelId: id, activated: true };
    }),
    alertSettings: { escalationPolicyId: policies.day },
    triggerIncident: {
      serviceId: service.id,
      name: "Down",
      description: "No answer",
      severity: "MAJOR",
      notifySubscribers: false,
    },
  });
  const path = `/v1/status-pages/services/${service.id}`;
  const follows = { checkIds: [ping.id, ...checkIds.slice(0, 3)], tags: ["core"] };
  assert.equal((await app.call("PUT", path, { body: { name: "API", follows } })).status, 200);
  const page = await create(app, "/v1/status-pages", {
    name: "Public",
    url: "public-page",
    logo: toDataUrl(createPng()),
    cards: [{ name: "Services", services: [{ id: service.id }] }],
  });
  await create(app, "/v1/maintenance-windows", {
    name: "Weekly",
    tags: ["core"],
    startsAt: "2027-01-01T02:00:00Z",
    endsAt: "2027-01-01T04:00:00Z",
    repeatInterval: 1,
    repeatUnit: "WEEK",
    groupIds: [group.id],
    checkIds: [ping.id],
    statusPageVisibility: { enabled: true, statusPageIds: [page.id], serviceIds: [service.id] },
  });
  await create(app, "/v1/dashboards", { header: "Wall", customUrl: "wall-one", showP99: true });
  await fillComponents(app);
}

/**
 * Creates a status page of version 3. The order of the names differs from the creation order of the
 * components.
 */
async function fillComponents(app: TestApp): Promise<void> {
  const page = await create(app, "/v3/status-pages", {
    ...{ name: "Parts", url: "parts-page", footerText: "Terms", allowIndexing: false },
  });
  const path = `/v3/status-pages/${page.id}`;
  const component = (body: object) => create(app, `${path}/components`, body);
  const shop = await component({ type: "GROUP", name: "Shop", displayOrder: 1 });
  const orders = await component({ name: "Orders", parentId: shop.id, displayOrder: 2 });
  const basket = await component({
    ...{ name: "Basket", parentId: shop.id, displayOrder: 1, hidden: true },
    configuration: { showHistoricalData: false },
  });
  const api = await component({ name: "API", displayOrder: 0, description: "Public API" });
  const rule = { firstUpdate: "We are looking", lastUpdate: "It works again" };
  const impact = (one: { id: string }, targetImpact: string) => {
    return { componentId: one.id, targetImpact };
  };
  await create(app, `${path}/automation-rules`, {
    ...{ ...rule, name: "Shop fails", tags: ["b", "a"], coolDownWindowMinutes: 0 },
    components: [impact(orders, "MAJOR_OUTAGE"), impact(basket, "PARTIAL_OUTAGE")],
  });
  await create(app, `${path}/automation-rules`, {
    ...{ ...rule, name: "API fails", tags: ["core"], enabled: false, notifySubscribers: false },
    components: [impact(orders, "DEGRADED_PERFORMANCE"), impact(api, "UNDER_MAINTENANCE")],
  });
}

/**
 * Returns values for the variables that an export of an account filled by `fillAccount` contains.
 */
export async function chooseSecrets(app: TestApp): Promise<Readonly<Record<string, string>>> {
  const { body } = await app.call("GET", "/v1/projects/export");
  const values = body.variables.map(
    ({ name, type, path }: { name: string; type: string; path: string }) => {
      const steps = path.split(".");
      if (type === "client-certificate") return [name, certificate.key];
      if (type === "check") return [name, randomUUID()];
      if (type !== "alert-channel") return [name, "concealed"];
      const isAddress = steps[1] === "url";
      return [name, isAddress ? `${hook}/concealed` : "concealed"];
    },
  );
  return Object.fromEntries(values);
}

/** Creates resources of every type that the public command-line tool can import. */
import assert from "node:assert/strict";
import type { TestApp } from "../apps/app.ts";

/** Secret values that no response may contain. */
export const sampleSecrets = {
  hookSign: "hook-sign-secret",
  hookToken: "hook-token-secret",
  groupVariable: "group-locked-secret",
  groupSecret: "group-secret-secret",
  groupPassword: "group-password-secret",
  header: "header-secret",
  query: "query-secret",
  password: "password-secret",
  variable: "check-locked-secret",
  secret: "check-secret-secret",
};

type Post = (path: string, body: object) => Promise<{ readonly id: string }>;

const locations = ["eu-west-1"];
const s = sampleSecrets;

async function createChannels(post: Post) {
  const channel = (type: string, config: object, more: object = {}) =>
    post("/v1/alert-channels", { type, config, ...more });
  const email = await channel("EMAIL", { address: "ops@example.test" }, { sendDegraded: true });
  const hook = await channel("WEBHOOK", {
    name: "Hook",
    url: "https://hooks.example.test/x",
    method: "POST",
    webhookType: "WEBHOOK_TELEGRAM",
    template: '{"title":"{{ALERT_TITLE}}"}',
    webhookSecret: s.hookSign,
    headers: [{ key: "Authorization", value: `Bearer ${s.hookToken}`, locked: true }],
    queryParameters: [],
  });
  await channel("SLACK", { url: "https://hooks.slack.com/services/T/B/X", channel: "#ops" });
  await channel("PAGERDUTY", { account: "a", serviceName: "s", serviceKey: "0123456789abcdef" });
  await channel("OPSGENIE", { name: "og", apiKey: "k-123", region: "EU", priority: "P2" });
  // The command-line tool has no construct for Discord channels.
  const discord = await channel("DISCORD", { url: "https://discord.com/api/webhooks/1/abc" });
  return { email, hook, discord };
}

function createGroup(post: Post, alertChannelId: string) {
  return post("/v1/check-groups", {
    name: "Main group",
    tags: ["grp"],
    locations,
    concurrency: 5,
    environmentVariables: [
      { key: "G", value: s.groupVariable, locked: true },
      { key: "TOKEN", value: s.groupSecret, secret: true },
    ],
    apiCheckDefaults: {
      url: "https://api.example.test",
      headers: [{ key: "X-G", value: "1", locked: true }],
      queryParameters: [],
      basicAuth: { username: "gu", password: s.groupPassword },
      assertions: [],
    },
    alertChannelSubscriptions: [{ alertChannelId, activated: true }],
  });
}

function createApiCheck(post: Post, groupId: string) {
  return post("/v1/checks/api", {
    name: "Api",
    groupId,
    locations,
    request: {
      method: "POST",
      url: "https://api.example.test/x",
      bodyType: "JSON",
      body: "{}",
      headers: [
        { key: "H", value: s.header, locked: true },
        { key: "I", value: "plain" },
      ],
      queryParameters: [{ key: "q", value: s.query, locked: true }],
      basicAuth: { username: "u", password: s.password },
      assertions: [{ source: "STATUS_CODE", comparison: "EQUALS", target: "200" }],
    },
    environmentVariables: [
      { key: "C", value: s.variable, locked: true },
      { key: "TOKEN", value: s.secret, secret: true },
      { key: "PLAIN", value: "p" },
    ],
    degradedResponseTime: 5_000,
    maxResponseTime: 10_000,
  });
}

async function createOtherChecks(post: Post): Promise<void> {
  const retryStrategy = { type: "LINEAR", baseBackoffSeconds: 60, maxRetries: 2, onlyOn: [] };
  await post("/v1/checks/url", {
    name: "Url",
    locations,
    frequency: 0,
    frequencyOffset: 30,
    request: { url: "https://example.test", followRedirects: true, assertions: [] },
    retryStrategy: { ...retryStrategy, maxDurationSeconds: 600, sameRegion: true },
  });
  const tcp = { hostname: "127.0.0.1", port: 22 };
  await post("/v1/checks/tcp", { name: "Tcp", locations, muted: true, request: tcp });
  const dns = { recordType: "A", query: "example.test" };
  await post("/v1/checks/dns", { name: "Dns", locations, request: dns });
  const named = { ...dns, nameServer: "127.0.0.1", port: 5353, protocol: "TCP" };
  await post("/v1/checks/dns", { name: "Dns named", locations, request: named });
  const sslConfig = { hostname: "example.test", port: 443 };
  await post("/v1/checks/ssl", { name: "Ssl", locations, request: { sslConfig } });
  const heartbeat = { period: 30, periodUnit: "minutes", grace: 5, graceUnit: "minutes" };
  await post("/v1/checks/heartbeat", { name: "Backup", heartbeat });
}

async function createPages(post: Post, serviceId: string): Promise<void> {
  await post("/v1/status-pages", {
    name: "Main page",
    url: "sample-main",
    defaultTheme: "DARK",
    cards: [{ name: "Core", services: [{ id: serviceId }] }],
  });
  await post("/v1/maintenance-windows", {
    name: "Weekly",
    tags: ["icmp"],
    startsAt: "2026-12-01T02:00:00.000Z",
    endsAt: "2026-12-01T04:00:00.000Z",
    repeatInterval: 1,
    repeatUnit: "WEEK",
    repeatEndsAt: "2027-12-01T00:00:00.000Z",
  });
  const board = { header: "Sample", description: "Desc", customUrl: "sample-dash", tags: ["icmp"] };
  await post("/v1/dashboards", board);
}

export async function createSampleAccount(app: TestApp): Promise<{ readonly apiCheckId: string }> {
  const post: Post = async (path, body) => {
    const answer = await app.call("POST", path, { body });
    assert.ok(answer.status < 300, `${path}: ${answer.text}`);
    return answer.body;
  };
  const { email, hook, discord } = await createChannels(post);
  await post("/v1/private-locations", { name: "Lab", slugName: "lab-one", icon: "squirrel" });
  const service = await post("/v1/status-pages/services", { name: "API" });
  const group = await createGroup(post, email.id);
  await post("/v1/checks/icmp", {
    name: "Ping",
    frequency: 5,
    locations,
    privateLocations: ["lab-one"],
    tags: ["icmp"],
    request: { hostname: "127.0.0.1", ipFamily: "IPv4", pingCount: 5 },
    alertChannelSubscriptions: [
      { alertChannelId: email.id, activated: true },
      { alertChannelId: hook.id, activated: false },
      { alertChannelId: discord.id, activated: true },
    ],
    triggerIncident: {
      serviceId: service.id,
      severity: "MAJOR",
      name: "Ping down",
      description: "No answer",
      notifySubscribers: false,
    },
  });
  const apiCheck = await createApiCheck(post, group.id);
  await createOtherChecks(post);
  await createPages(post, service.id);
  return { apiCheckId: apiCheck.id };
}

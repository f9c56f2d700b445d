/** Request bodies and API calls for tests of projects. */
import assert from "node:assert/strict";
import { allKinds } from "../../../src/kinds/index.ts";
import type { TestApp } from "../apps/app.ts";

export interface Resource {
  readonly type: string;
  readonly logicalId: string;
  readonly payload: Record<string, unknown> | null;
  readonly member?: boolean;
  readonly physicalId?: unknown;
}

export interface Entry {
  readonly logicalId: string;
  readonly action: string;
  readonly type: string;
  readonly physicalId: string;
  readonly changes: readonly { readonly path: string; readonly origin: string }[];
}

export const ref = (logicalId: string) => ({ ref: logicalId });
export const one = (
  type: string,
  logicalId: string,
  payload: Record<string, unknown>,
): Resource => ({
  type,
  logicalId,
  payload,
  member: true,
});

/**
 * Returns the resources of a status page of version 3, with its components and an automation rule.
 */
function createComponentPage(name: string): Resource[] {
  return [
    one("status-page", "page-v3", {
      name: "Components",
      url: `v3-${name}`,
      description: "d",
      supportLink: "https://example.test/support",
      themeColors: { light: { bodyBackgroundColor: "#FFFFFF" } },
      version: 3,
    }),
    one("status-page-component", "comp-group", {
      ...{ statusPageId: ref("page-v3"), type: "GROUP", name: "Core", displayOrder: 1 },
    }),
    one("status-page-component", "comp-api", {
      ...{ statusPageId: ref("page-v3"), parentId: ref("comp-group"), type: "SERVICE" },
      ...{ name: "API", displayOrder: 1, configuration: { showHistoricalData: false } },
    }),
    one("status-page-automation-rule", "rule", {
      ...{ statusPageId: ref("page-v3"), name: "Rule", firstUpdate: "Investigating" },
      ...{ lastUpdate: "Resolved", tags: ["spike"], coolDownWindowMinutes: 10 },
      components: [{ componentId: ref("comp-api"), targetImpact: "MAJOR_OUTAGE" }],
    }),
  ];
}

/** Returns the resources of a project: every type of resource, and checks of every type. */
export function createResources(name: string): Resource[] {
  return [
    one("status-page-service", "svc", { name: "API" }),
    one("status-page", "page", {
      name: "Page",
      url: `page-${name}`,
      defaultTheme: "DARK",
      cards: [{ name: "Core", services: [ref("svc")] }],
    }),
    ...createComponentPage(name),
    one("check-group", "group", {
      name: "Group",
      tags: ["grp"],
      environmentVariables: [{ key: "G", value: "hidden one", locked: true }],
    }),
    ...allKinds.map(({ type, operations }) =>
      one("check", `check-${type}`, {
        checkType: type,
        name: `One of ${type}`,
        activated: false,
        groupId: ref("group"),
        ...operations.example,
      }),
    ),
    one("check", "ping", {
      checkType: "ICMP",
      name: "Ping",
      request: { hostname: "192.0.2.1" },
      triggerIncident: {
        serviceId: ref("svc"),
        name: "Down",
        description: "No answer",
        severity: "MAJOR",
        notifySubscribers: false,
      },
    }),
    one("alert-channel", "mail", { type: "EMAIL", config: { address: "ops@example.test" } }),
    one("on-call-schedule", "rota", { name: `Rota of ${name}` }),
    one("escalation-policy", "escalation", {
      ...{ name: `Escalation of ${name}`, useFallback: false },
      steps: [{ afterMinutes: 5, targets: [{ channelId: ref("mail") }] }],
    }),
    one("alert-channel-subscription", "check-alert-channel-subscription#ping#mail", {
      alertChannelId: ref("mail"),
      checkId: ref("ping"),
      activated: true,
    }),
    one("alert-channel-subscription", "group#mail", {
      alertChannelId: ref("mail"),
      groupId: ref("group"),
      activated: false,
    }),
    one("maintenance-window", "window", {
      name: "Weekly",
      tags: ["x"],
      startsAt: "2027-01-01T02:00:00Z",
      endsAt: "2027-01-01T04:00:00Z",
      repeatInterval: 1,
      repeatUnit: "WEEK",
    }),
    one("private-location", "lab", { name: "Lab", slugName: `lab-${name}` }),
    one("private-location-check-assignment", "lab#ping", {
      privateLocationId: ref("lab"),
      checkId: ref("ping"),
    }),
    one("dashboard", "dash", { header: "Dash", customUrl: `dash-${name}`, tags: ["x"] }),
  ];
}

export const toBody = (logicalId: string, resources: readonly Resource[]) => ({
  project: { logicalId, name: `Project ${logicalId}` },
  resources,
});

export const actionsOf = (diff: readonly Entry[]) => [...new Set(diff.map(({ action }) => action))];
export const findEntry = (diff: readonly Entry[], logicalId: string) =>
  diff.find((entry) => entry.logicalId === logicalId) as Entry;

export function createProjectCalls(app: () => TestApp) {
  const post = (path: string, body: object, key?: string) =>
    app().call("POST", path, { body, ...(key !== undefined && { key }) });

  async function preview(logicalId: string, resources: readonly Resource[], query = "") {
    const answer = await post(`/v1/projects/preview${query}`, toBody(logicalId, resources));
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  }

  async function complete(logicalId: string, id: string) {
    const path = `/v1/projects/${encodeURIComponent(logicalId)}/deployments/${id}/completion`;
    const ended = await app().call("GET", path);
    assert.equal(ended.status, 200, ended.text);
    return ended.body;
  }

  /** Deploys resources, waits until the deployment has ended, and returns the ended deployment. */
  async function deploy(logicalId: string, resources: readonly Resource[], query = "") {
    const body = toBody(logicalId, resources);
    const started = await post(`/v1/projects/deploy?scheduleOnDeployScope=changed${query}`, body);
    assert.equal(started.status, 202, started.text);
    return complete(logicalId, started.body.id);
  }

  async function countRows(): Promise<unknown> {
    const tables = ["checks", "check_groups", "alert_channels", "status_pages", "services"];
    const others = ["dashboards", "maintenance_windows", "private_locations", "projects"];
    const onCall = ["on_call_schedules", "escalation_policies"];
    const components = ["status_page_cards", "status_page_card_services", "status_page_rules"];
    const parts = [...tables, ...others, ...onCall, ...components, "project_resources"].map(
      (table) => `(select count(*) from ${table}) as ${table}`,
    );
    return (await app().query(`select ${parts.join(", ")}`)).rows[0];
  }

  return { post, preview, complete, deploy, countRows };
}

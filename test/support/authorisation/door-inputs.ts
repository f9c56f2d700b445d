/** Inputs for the ways to reach actions besides routes: imports, and the tools of the agent. */
import type { ImportSource } from "../../../src/as-code/imports/sources.ts";
import { addService, createIncident } from "../modules/incidents.ts";
import type { Scene } from "./authorisation-row.ts";
import { newPageBody } from "./notification-rows.ts";

type Files = Readonly<Record<string, string>>;

const kuma = {
  monitorList: [{ id: 1, name: "Router", type: "ping", interval: 60, hostname: "192.0.2.1" }],
  notificationList: [
    { id: 1, name: "Ops", config: '{"type":"slack","slackwebhookURL":"https://hooks.test/a"}' },
  ],
};
const heartbeat = {
  ...{ name: "Backup", slug: "", desc: "", tags: "", methods: "", n_pings: 1 },
  ...{ timeout: 3_600, grace: 900, uuid: "31365bce-8da9-4729-8ff3-aaa71d56b712", status: "up" },
};
const location = { id: "41365bce-8da9-4729-8ff3-aaa71d56b712", name: "Lab", slugName: "imported" };
const dates = { created_at: "2026-01-02T03:04:05.000Z", updated_at: null };

/** Files of each source. */
export const importFiles: Readonly<Record<ImportSource, Files>> = {
  "uptime-kuma": { "backup.json": JSON.stringify(kuma) },
  gatus: {
    "gatus.yml": `
endpoints:
  - name: Shop
    url: https://shop.example.com
    interval: 1m
    conditions: ["[STATUS] == 200"]`,
  },
  "blackbox-exporter": {
    "blackbox.yml": "modules: { icmp: { prober: icmp } }",
    "prometheus.yml": `
scrape_configs:
  - job_name: ping
    metrics_path: /probe
    params: { module: [icmp] }
    static_configs: [{ targets: [192.0.2.7] }]
    relabel_configs:
      - { source_labels: [__address__], target_label: __param_target }`,
  },
  smokeping: {
    config: `
*** Database ***
step = 300
pings = 20
*** Probes ***
+ FPing
*** Targets ***
probe = FPing
menu = Top
+ Router
host = 192.0.2.9
`,
  },
  healthchecks: { "checks.json": JSON.stringify({ checks: [heartbeat] }) },
  openstatus: {
    "openstatus.yaml": `
"database":
  name: "Database"
  frequency: "30s"
  kind: "tcp"
  request: { host: "db.example.com", port: 5432 }`,
  },
  checkly: {
    // The private location is not imported.
    "locations.json": JSON.stringify([{ ...location, icon: "location", keys: [] }]),
    "channels.json": JSON.stringify([
      {
        ...{ ...dates, id: 11, type: "EMAIL", config: { address: "ops@example.com" } },
        ...{ sendRecovery: true, sendFailure: true, sendDegraded: false },
      },
    ]),
  },
  hosts: { "hosts.txt": "router.example.com, Core router\n" },
};

/** Creates what the tools need, and returns an input of each tool that it accepts. */
export async function createToolInputs(scene: Scene): Promise<Readonly<Record<string, object>>> {
  const { test: app } = scene;
  const { checkId, userId: memberId } = await newPageBody(scene);
  const serviceId = await addService(app);
  const { id: incidentId } = (await createIncident(app, serviceId)).body;
  const steps = [{ afterMinutes: 1_000, targets: [{ userId: memberId }] }];
  const policy = { body: { name: "Later", useFallback: false, steps } };
  const { id: escalationPolicyId } = (await app.call("POST", "/v1/escalation-policies", policy))
    .body;
  const escalated = { useGlobalAlertSettings: false, alertSettings: { escalationPolicyId } };
  await app.call("PUT", `/v1/checks/${checkId}`, { body: escalated });
  const proposed = { name: "Of the agent", activated: false, request: { hostname: "192.0.2.2" } };
  const span = { from: "-1d", to: "now" };
  const onCheck = { checkId };
  return {
    ...{ list_checks: {}, get_check: onCheck, get_status: {}, list_state_changes: span },
    ...{ list_results: { ...onCheck, ...span }, get_statistics: span },
    get_result: { ...onCheck, resultId: checkId },
    compare_windows: { ...span, previousFrom: "-2d", previousTo: "-1d" },
    ...{ list_incidents: {}, get_incident: { incidentId }, draft_incident: { serviceId } },
    ...{ list_alerts: {}, list_deliveries: {}, list_maintenance: { from: "now", to: "+2w" } },
    ...{ list_locations: {}, list_groups: {}, list_services: {}, list_status_pages: {} },
    ...{ list_channels: {}, list_members: {}, list_dashboards: {}, list_names: {} },
    ...{ who_is_on_call: {}, list_escalation_policies: {}, current_time: {} },
    search_docs: { query: "reset a password" },
    post_incident_update: { incidentId, status: "MONITORING", description: "Better." },
    mute_check: { ...onCheck, muted: true },
    create_check: { body: { checkType: "ICMP", ...proposed } },
    run_check: onCheck,
    escalate_alert: onCheck,
    page_member: { ...onCheck, memberId },
    reassign_alert: { ...onCheck, memberId },
    snooze_alert: { ...onCheck, minutes: 60 },
    acknowledge_alert: onCheck,
  };
}

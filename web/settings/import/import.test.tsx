/** Moving in from another monitor. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  openScreen,
  type ServedApp,
  shareTestApp,
} from "../../../test/support/components/screen.tsx";

let app: ServedApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  const job = { id: 1, name: "Backup", type: "push", interval: 60, pushToken: "kumaToken123" };
  const content = JSON.stringify({ monitorList: [job] });
  const body = { files: [{ name: "backup.json", content }] };
  const made = await app.call("POST", "/v1/imports/preview?source=uptime-kuma", { body });
  await app.call("POST", `/v1/imports/${made.body.id}/run`, { body: {} });
});
after(() => app.stop());

test("earlier imports and old push addresses are listed, and an address can be removed", async () => {
  const screen = await openScreen(app, "/settings/import", { role: "READ_WRITE" });
  await screen.getByText("Imported: 1 created, 0 changed, 0 unchanged.").waitFor();
  await screen.getByText("/api/push/kuma…").waitFor();
  await screen.getByRole("link", { name: "Backup" }).waitFor();
  await screen.audit();
  await screen.getByRole("button", { name: "Remove /api/push/kuma…" }).click();
  await screen.getByText(/receive 404/).waitFor();
  await screen.getByRole("button", { name: "Remove", exact: true }).click();
  await screen.getByText("The address was removed.").waitFor();
  assert.deepEqual((await app.call("GET", "/v1/push-addresses")).body, []);
});

test("muted checks are compared with the old monitor, and start alerting", async () => {
  await app.call("POST", "/v1/checks/bulk", {
    body: {
      ids: (await app.call("GET", "/v1/checks")).body.map(({ id }: { id: string }) => id),
      action: "mute",
    },
  });
  const screen = await openScreen(app, "/settings/import", { role: "READ_WRITE" });
  await screen.getByRole("button", { name: "Compare with Uptime Kuma" }).click();
  await screen.getByText(/Upload a newer file of Uptime Kuma to compare/).waitFor();
  await screen.getByRole("button", { name: "Start alerting for Backup" }).waitFor();
  await screen.audit();
  await screen.getByRole("button", { name: "Start alerting for 1 check" }).click();
  await screen.getByText("1 check alerts now.").waitFor();
  const { body: checks } = await app.call("GET", "/v1/checks");
  assert.equal(
    checks.some(({ muted }: { muted: boolean }) => muted),
    false,
  );
});

test("a reader sees the imports but cannot upload", async () => {
  const screen = await openScreen(app, "/settings/import", { role: "READ_ONLY" });
  await screen.getByText("Your role cannot import.").waitFor();
  await screen.getByRole("button", { name: "Compare with Uptime Kuma" }).waitFor();
  assert.equal(await screen.getByRole("button", { name: "Read file" }).count(), 0);
});

test("a file is uploaded, its report read, a monitor left out and the rest imported", async () => {
  const screen = await openScreen(app, "/settings/import", { role: "READ_WRITE" });
  const ping = { type: "ping", interval: 75, hostname: "192.0.2.1" };
  const monitorList = [
    { ...ping, id: 7, name: "Router" },
    { ...ping, id: 8, name: "Old router" },
    { id: 9, name: "Container", type: "docker", interval: 60 },
  ];
  const file = new File([JSON.stringify({ monitorList })], "backup.json");
  await screen.getByText("No file chosen.").waitFor();
  await screen.getByRole("button", { name: "Choose files" }).waitFor();
  await screen.locator('input[type="file"]').upload(file);
  await screen.getByText("backup.json").first().waitFor();
  await screen.getByRole("button", { name: "Read file" }).click();
  await screen.getByText("2 to import, 2 changed settings, 1 left out.").waitFor();
  await screen.getByText("There is no check for monitors of type docker.").waitFor();
  await screen.audit();
  await screen.getByRole("checkbox", { name: "Import Old router" }).uncheck();
  await screen.getByRole("button", { name: "Import 1 object" }).click();
  await screen.getByRole("status").filter({ hasText: "Imported: 1 created" }).waitFor();
  const { body: checks } = await app.call("GET", "/v1/checks");
  const router = checks.find(({ name }: { name: string }) => name === "Router");
  assert.equal(router.muted, true);
  assert.equal(
    checks.some(({ name }: { name: string }) => name === "Old router"),
    false,
  );
});

test("several files of one source are uploaded together", async () => {
  const screen = await openScreen(app, "/settings/import", { role: "READ_WRITE" });
  await screen.getByLabel("Source").selectOption("blackbox-exporter");
  const modules = new File(["modules: { icmp: { prober: icmp } }"], "blackbox.yml");
  const job = {
    ...{ job_name: "hosts", metrics_path: "/probe", params: { module: ["icmp"] } },
    static_configs: [{ targets: ["192.0.2.1"] }],
    relabel_configs: [{ source_labels: ["__address__"], target_label: "__param_target" }],
  };
  const config = new File([JSON.stringify({ scrape_configs: [job] })], "prometheus.yml");
  await screen.locator('input[type="file"]').upload(modules, config);
  await screen.getByRole("button", { name: "Read file" }).click();
  await screen.getByText("2 to import, 0 changed settings, 0 left out.").waitFor();
  // The report can be opened again later, and imported then.
  const later = await openScreen(app, "/settings/import", { role: "READ_WRITE" });
  await later.getByRole("button", { name: /^Open the report of blackbox/ }).click();
  await later.getByRole("button", { name: "Import 2 objects" }).click();
  await later.getByRole("link", { name: "Show the checks" }).waitFor();
  assert.equal(later.getByRole("button", { name: /^Import \d/ }).count(), 0);
});

test("a file that cannot be read shows the reason", async () => {
  const screen = await openScreen(app, "/settings/import", { role: "READ_WRITE" });
  await screen.locator('input[type="file"]').upload(new File(["hello"], "notes.txt"));
  await screen.getByRole("button", { name: "Read file" }).click();
  await screen.getByText(/neither a SQLite database/).waitFor();
});

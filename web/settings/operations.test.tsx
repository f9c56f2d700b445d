/** Backups, runtimes and the doctor, for administrators. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openScreen, type ServedApp, startTestApp } from "../../test/support/components/screen.tsx";

let app: ServedApp;
let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "vedette-operations-"));
  app = await startTestApp({
    BACKUP_DIR: folder,
    BACKUP_EVERY_HOURS: "0",
    BACKUP_VERIFY_EVERY_HOURS: "0",
    BUILT_IN_PROBE: "false",
  });
});
after(async () => {
  await app.stop();
  await rm(folder, { recursive: true, force: true });
});

test("an admin starts a backup and sees it succeed", async () => {
  const screen = await openScreen(app, "/settings/backups", { width: 390 });
  await screen.getByText("No backups yet").waitFor();
  await screen.getByText("on request only").waitFor();
  await screen.audit();
  await screen.getByRole("button", { name: "Back up now" }).click();
  await screen.getByText("Succeeded").waitFor();
  const [file = ""] = await readdir(folder);
  await screen.getByText(file).waitFor();
  await screen.getByText("does not include the encryption key").waitFor();
  await screen.audit();
});

test("the doctor shows the worst finding first, and only to admins", async () => {
  const screen = await openScreen(app, "/settings/doctor");
  await screen.getByText(/PostgreSQL \d+\.\d+ answers\./).waitFor();
  const groups = await screen.getByRole("heading", { level: 2 }).allTextContents();
  assert.match(groups.at(-1) ?? "", /^OK \d+$/);
  await screen.getByText("Backups do not include the encryption key").waitFor();
  await screen.audit();
  const other = await openScreen(app, "/settings/doctor", { role: "READ_WRITE" });
  await other.getByText("Only an admin or an owner can view this.").waitFor();
  assert.equal(other.getByRole("link", { name: "Backups" }).count(), 0);
});

test("an admin starts the installation of a runtime, and sees why it failed", async () => {
  const screen = await openScreen(app, "/settings/runtimes", { width: 390 });
  await screen.getByText("Not installed").first().waitFor();
  await screen.getByText("Runtime 2022.10 cannot be installed: use 2025.04 or 2024.09.").waitFor();
  await screen.getByText("nice-grpc-server-health 2.0.14").waitFor();
  await screen.audit();
  assert.equal(await screen.getByRole("button", { name: /^Install runtime/ }).count(), 2);
  await screen.getByRole("button", { name: "Install runtime 2025.04" }).click();
  await screen.getByText("The installation of 2025.04 was started.").waitFor();
  // The server of these tests has no npm.
  await screen
    .getByText(/^Runtime 2025\.04 is not installed\. Runtimes are installed with npm/)
    .waitFor();
  await screen.getByRole("button", { name: "Try to install runtime 2025.04 again" }).waitFor();
  await screen.audit();
  const reader = await openScreen(app, "/settings/runtimes", { role: "READ_ONLY" });
  await reader.getByText("Failed").waitFor();
  assert.equal(await reader.getByRole("button", { name: /install/i }).count(), 0);
});

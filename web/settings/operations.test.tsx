/** Backups and the doctor, for administrators. */
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

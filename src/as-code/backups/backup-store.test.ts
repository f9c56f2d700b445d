import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Backup,
  chooseOldFiles,
  decideBackupSettings,
  findBackupProblem,
  isBackupDue,
  isVerifyDue,
  nameFile,
  statusOf,
} from "./backup-store.ts";

const nowMs = Date.parse("2026-11-16T12:00:00Z");
const settings = {
  folder: "/backups",
  isBesideDatabase: false,
  everyHours: 24,
  keep: 2,
  verifyEveryHours: 24,
};

function agoHours(hours: number, more: Partial<Backup> = {}): Backup {
  const at = new Date(nowMs - hours * 3_600_000);
  return {
    id: "019aa000-0000-7000-8000-00001f2e3d4c",
    serverId: "server",
    reason: "SCHEDULE",
    file: "vedette-20261116T120000Z-1f2e3d4c.backup",
    startedAt: at,
    writtenAt: at,
    finishedAt: at,
    sizeBytes: 1,
    rowCount: 1,
    hasKey: false,
    problem: null,
    verifiedAt: null,
    verifyProblem: null,
    removedAt: null,
    ...more,
  };
}

const standing = (success: Backup | null, latest: Backup | null = success) => ({
  latest,
  lastSuccess: success,
  lastVerified: null,
});

describe("a backup", () => {
  it("is due initially, then a period after the last one, and earlier after a failure", () => {
    const failed = (hours: number) => agoHours(hours, { writtenAt: null, problem: "full" });
    const cases = [
      [standing(null), true],
      [standing(agoHours(23)), false],
      [standing(agoHours(24)), true],
      [standing(agoHours(30), failed(0.1)), false],
      [standing(agoHours(30), failed(0.3)), true],
      [standing(agoHours(5), failed(1)), false],
    ] as const;
    for (const [given, expected] of cases) {
      assert.equal(isBackupDue(given, settings, nowMs), expected);
      assert.equal(isBackupDue(given, { ...settings, folder: null }, nowMs), false);
      assert.equal(isBackupDue(given, { ...settings, everyHours: 0 }, nowMs), false);
    }
  });

  it("is verified when the last verified one is old enough", () => {
    const lastVerified = agoHours(20, { verifiedAt: new Date(nowMs - 20 * 3_600_000) });
    const known = { ...standing(lastVerified), lastVerified };
    assert.equal(isVerifyDue(standing(null), settings, nowMs), true);
    assert.equal(isVerifyDue(known, settings, nowMs), false);
    assert.equal(isVerifyDue(known, { ...settings, verifyEveryHours: 20 }, nowMs), true);
    assert.equal(isVerifyDue(standing(null), { ...settings, verifyEveryHours: 0 }, nowMs), false);
  });

  it("that failed, is late or could not be verified has a problem description", () => {
    const find = (...given: Parameters<typeof standing>) =>
      findBackupProblem(standing(...given), settings, nowMs);
    assert.equal(find(null), null);
    assert.equal(find(agoHours(30)), null);
    assert.match(find(agoHours(40)) ?? "", /40 hours old, and one is due every 24/);
    assert.match(find(agoHours(1), agoHours(0, { problem: "no room" })) ?? "", /failed: no room/);
    assert.match(find(agoHours(1, { verifyProblem: "not the same" })) ?? "", /not the same/);
    const off = { ...settings, folder: null };
    assert.equal(findBackupProblem(standing(agoHours(400)), off, nowMs), null);
  });

  it("has a status", () => {
    assert.equal(statusOf(agoHours(0, { writtenAt: null, finishedAt: null })), "RUNNING");
    assert.equal(statusOf(agoHours(0, { finishedAt: null })), "VERIFYING");
    assert.equal(statusOf(agoHours(0)), "SUCCEEDED");
    assert.equal(statusOf(agoHours(0, { problem: "full" })), "FAILED");
  });

  it("removes the oldest files, and no other files", () => {
    const names = [1, 2, 3].map((day) =>
      nameFile(new Date(Date.UTC(2026, 10, day)), `x${"0".repeat(8)}`),
    );
    assert.equal(names[0], "vedette-20261101T000000Z-00000000.backup");
    const others = [
      "notes.txt",
      "vedette-20200101T000000Z-00000000.backup.unfinished",
      "my.backup",
    ];
    const choose = (files: readonly string[], keep: number, maxBytes = Infinity) =>
      chooseOldFiles(
        files.map((name) => ({ name, sizeBytes: 10 })),
        { keep, maxBytes },
      );
    assert.deepEqual(choose([...names.toReversed(), ...others], 2), names.slice(0, 1));
    assert.deepEqual(choose(names, 5), []);
    assert.deepEqual(choose(names, 5, 25), names.slice(0, 1));
    assert.deepEqual(choose(names, 5, -1), names);
  });

  it("is made by default for the embedded database only", () => {
    const hours = { BACKUP_EVERY_HOURS: 24, BACKUP_KEEP: 7, BACKUP_VERIFY_EVERY_HOURS: 24 };
    const config = { ...hours, BACKUP_DIR: undefined, DATABASE_URL: undefined, DATA_DIR: "/data" };
    const place = (more: object) => {
      const { folder, isBesideDatabase } = decideBackupSettings({ ...config, ...more });
      return [folder, isBesideDatabase];
    };
    assert.deepEqual(place({}), ["/data/backups", true]);
    assert.deepEqual(place({ BACKUP_DIR: "/disk" }), ["/disk", false]);
    assert.deepEqual(place({ DATABASE_URL: "postgres://db" }), [null, false]);
  });
});

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { startMailReceiver } from "../../../test/support/servers/mail-receiver.ts";
import type { Database } from "../../platform/database.ts";
import { diagnoseBloat, judgeBackups, judgeClock, judgeServers } from "./diagnose-database.ts";
import {
  diagnoseMail,
  judgeInodes,
  judgePing,
  judgeScripts,
  judgeSpace,
} from "./diagnose-machine.ts";
import { reportUnusable } from "./doctor-command.ts";
import { diagnose, findingsOf, runDiagnostics, writeDiagnosis } from "./finding.ts";

const { ok, warn, fail } = findingsOf("Machine");

describe("the doctor", () => {
  it("names the isolation and the browser of scripts, or what to do", () => {
    const whole = {
      isolation: "B1",
      ...{ isolationMessage: "No namespaces: A1: denied.", isolationAdvice: null },
      ...{ browser: { path: "/opt/chrome", version: "150.0.1.2" }, browserMessage: null },
    } as const;
    const sentences = judgeScripts(whole).map(({ sentence }) => sentence);
    assert.deepEqual(sentences, [
      "Scripts of checks are isolated (tier B1). No namespaces: A1: denied.",
      "Browser checks use /opt/chrome (150.0.1.2).",
    ]);
    const bare = { ...whole, browser: null, browserMessage: "Type this." };
    assert.equal(judgeScripts(bare)[1]?.sentence, "Browser checks cannot run here. Type this.");
    const none = {
      isolation: null,
      isolationMessage: "None works.",
      isolationAdvice: "Type that.",
    };
    assert.deepEqual(judgeScripts({ ...whole, ...none }), [
      { area: "Checks", level: "warn", sentence: "None works.", fix: "Type that." },
    ]);
  });

  it("shows the worst first, with instructions", () => {
    const diagnosis = diagnose([
      ok("Fine."),
      warn("Soon.", "type this"),
      fail("Bad.", "type\nthat"),
    ]);
    assert.equal(diagnosis.level, "fail");
    assert.equal(
      writeDiagnosis(diagnosis),
      "FAIL  Machine: Bad.\n      type\n      that\nWARN  Machine: Soon.\n      type this\n" +
        "ok    Machine: Fine.\n\n1 failed, 1 warning, 1 ok",
    );
  });

  it("reports all findings even if a diagnostic throws", async () => {
    const broken = async () => {
      throw new Error("no such file\nat line 7");
    };
    const { findings } = await runDiagnostics([
      { name: "Data disk", area: "Machine", run: broken },
      { name: "Memory", area: "Machine", run: async () => [ok("Enough.")] },
    ]);
    assert.deepEqual(
      findings.map(({ level }) => level),
      ["warn", "ok"],
    );
    assert.match(findings[0]?.sentence ?? "", /Data disk: the diagnostic failed \(no such file\)/);
  });

  it("judges disks, inodes and clocks", () => {
    const space = (freeGb: number) =>
      judgeSpace({ freeBytes: freeGb * 1e9, totalBytes: 100e9, folder: "/data" }, "DATA_DIR").level;
    assert.deepEqual([space(50), space(9), space(0.4)], ["ok", "warn", "fail"]);
    const inodes = (free: number) => judgeInodes(free, 100, "DATA_DIR").level;
    assert.deepEqual([inodes(50), inodes(5), inodes(1)], ["ok", "warn", "fail"]);
    assert.deepEqual([judgeClock(-1_900).level, judgeClock(2_100).level], ["ok", "warn"]);
  });

  it("explains a database that cannot be opened with what the operator can do", () => {
    const config = { DATA_DIR: "/data", DATABASE_URL: undefined };
    const fault = (code: string) => Object.assign(new Error(`${code}: a bare text`), { code });
    const full = reportUnusable(fault("ENOSPC"), config);
    assert.match(full.sentence, /: The disk of \/data is full\.$/);
    assert.match(full.fix ?? "", /`du -xh --max-depth=1 \/data` shows what is large/);
    assert.match(reportUnusable(fault("EROFS"), config).sentence, /\/data is mounted read-only\.$/);
    assert.match(reportUnusable(new Error("no"), config).fix ?? "", /messages of PostgreSQL/);
    const other = { ...config, DATABASE_URL: "postgres://db/vedette" };
    assert.match(reportUnusable(new Error("no"), other).fix ?? "", /Check DATABASE_URL/);
  });

  it("detects whether pings are allowed", () => {
    const facts = { range: "1\t0\n", groups: [1_000], capabilities: 0n };
    assert.equal(judgePing(facts).level, "fail");
    assert.match(judgePing(facts).fix ?? "", /^sysctl -w net\.ipv4\.ping_group_range/);
    assert.equal(judgePing({ ...facts, range: "0 2147483647" }).level, "ok");
    assert.equal(judgePing({ ...facts, capabilities: 1n << 13n }).level, "ok");
    assert.equal(judgePing(null).level, "ok");
  });

  it("reports several servers with remote probes and no NATS", () => {
    const facts = {
      liveServers: 2,
      wrongClocks: [],
      versions: ["1"],
      websocketProbes: 3,
      hasBus: false,
      loads: [],
    };
    assert.deepEqual(
      judgeServers(facts).map(({ level }) => level),
      ["ok", "fail"],
    );
    const levels = (more: Partial<typeof facts>) =>
      judgeServers({ ...facts, ...more }).map(({ level }) => level);
    assert.deepEqual(levels({ hasBus: true }), ["ok"]);
    assert.deepEqual(levels({ liveServers: 1 }), ["ok"]);
    assert.match(
      judgeServers({ ...facts, liveServers: 1 })[0]?.sentence ?? "",
      /^One server is alive/,
    );
  });

  it("reports overloaded servers, their share of skipped runs and what to do", () => {
    const facts = { liveServers: 2, wrongClocks: [], versions: ["1"], hasBus: true };
    const loads = [
      { name: "calm", skippedShare: 0 },
      { name: "busy", skippedShare: 0.338 },
    ];
    const [, finding, ...others] = judgeServers({ ...facts, websocketProbes: 0, loads });
    assert.deepEqual(others, []);
    assert.equal(finding?.level, "fail");
    assert.equal(finding?.sentence, "The server busy is overloaded: 34 % of runs are skipped.");
    assert.match(finding?.fix ?? "", /more CPU/);
  });

  it("names the tables with many dead rows, and what to do", async () => {
    const run = async () => [{ name: "runs", dead: 200_000, live: 10 }];
    const [finding] = await diagnoseBloat({ run } as unknown as Database);
    assert.match(finding?.sentence ?? "", /^The table runs has 200000 dead rows/);
    assert.equal(
      finding?.fix,
      "Look for a long-running transaction and end it, then run `vacuum analyze runs`.",
    );
  });

  it("reports missing and failed backups", () => {
    const nothing = { latest: null, lastSuccess: null, lastVerified: null };
    const settings = { folder: null, isBesideDatabase: false, hasPassphrase: false };
    assert.match(judgeBackups(nothing, null, settings)[0]?.fix ?? "", /BACKUP_DIR/);
    const bad = judgeBackups(nothing, "The last backup failed: full", {
      ...settings,
      folder: "/x",
    });
    assert.equal(bad[0]?.level, "fail");
  });

  it("tests the mail server without sending mail", async (t) => {
    const receiver = await startMailReceiver(t);
    assert.equal((await diagnoseMail(receiver.url))[0]?.level, "ok");
    assert.deepEqual(receiver.mails, []);
    const [rejected] = await diagnoseMail("smtp://user:secret-word@127.0.0.1:9");
    assert.equal(rejected?.level, "fail");
    assert.doesNotMatch(JSON.stringify(rejected), /secret-word|user/);
  });
});

describe("GET /v1/doctor", () => {
  let test: TestApp;
  before(async () => {
    test = await startTestApp({ BUILT_IN_PROBE: "false" });
  });
  after(() => test.stop());

  it("covers all areas, and contains no secret", async () => {
    const { status, body, text } = await test.call("GET", "/v1/doctor");
    assert.equal(status, 200);
    assert.equal(body.lookedAt, test.clock.now().toISOString());
    const seen = new Set(body.findings.map(({ area }: { area: string }) => area));
    for (const area of ["Machine", "Database", "Checks", "Network", "Backups", "Servers"]) {
      assert.ok(seen.has(area), `no finding about ${area}`);
    }
    assert.match(text, /PostgreSQL \d+\.\d+ answers/);
    assert.match(text, /The database schema is up to date/);
    assert.match(text, /The encryption key decrypts the secrets of this database/);
    assert.match(text, /No backups are created/);
    assert.ok(!text.includes(test.databaseUrl) && !text.includes(test.dataDir));
    const again = await test.call("GET", "/v1/doctor");
    assert.deepEqual(again.body, body, "it is cached for half a minute");
  });
});

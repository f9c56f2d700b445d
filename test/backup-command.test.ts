/** Tests `vedette backup`, `restore` and `verify` on embedded databases. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { createTerminalProgress } from "../src/app/backup-commands.ts";
import { runVedette, spawnVedette, waitForAddress } from "./support/apps/vedette-process.ts";
import { isLongRun, it } from "./support/long-run.ts";

const skip = process.platform === "linux" ? false : "needs /proc";
let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "vedette-backup-command-"));
});
after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

const key = "backup-test-key-0123456789";

function settings(name: string, more: Readonly<Record<string, string>> = {}) {
  return {
    DATA_DIR: join(folder, name),
    PORT: "0",
    LOG_LEVEL: "warn",
    BUILT_IN_PROBE: "false",
    BOOTSTRAP_API_KEY: key,
    BACKUP_PASSPHRASE: "correct horse battery staple",
    ...more,
  };
}

async function readKeys(url: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}` };
  return (await fetch(`${url}/v1/api-keys`, { headers })).text();
}

it("a backup of a running server can be restored elsewhere with its key", {
  isLong: true,
  skip,
}, async (t) => {
  const file = join(folder, "whole.backup");
  const first = spawnVedette(t, ["server"], settings("first"));
  const url = await waitForAddress(first);
  const made = await runVedette(t, ["backup", file], settings("first"));
  assert.equal(made.code, 0, made.errors);
  assert.match(made.output, /^Wrote .*whole\.backup: [\d,]+ rows of \d+ tables, .* in [\d.]+ s\./);
  assert.match(made.output, /It includes the encryption key, encrypted with BACKUP_PASSPHRASE/);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(folder), ["first", "whole.backup"], "no temporary file is left");
  const again = await runVedette(t, ["backup", file], settings("first"));
  assert.equal(again.code, 1);
  assert.match(again.errors, /The file .* already exists\.\n.*--overwrite/);
  const sound = await runVedette(t, ["verify", file], settings("first"));
  assert.equal(sound.code, 0, sound.errors);
  assert.match(sound.output, /is valid: its [\d,]+ rows of \d+ tables were restored/);
  const busy = await runVedette(t, ["restore", file, "--overwrite"], settings("first"));
  assert.equal(busy.code, 1);
  assert.match(busy.errors, /already uses the data folder .*\nStop it first/);
  const keysBefore = await readKeys(url);
  first.process.kill("SIGTERM");
  assert.equal(await first.exited, 0);

  const restored = await runVedette(t, ["restore", file], settings("second"));
  assert.equal(restored.code, 0, restored.errors);
  assert.match(restored.output, /The encryption key was restored to .*encryption\.key/);
  assert.match(restored.output, /Start the server now: `npm start`/);
  const keyOf = (name: string) => readFile(join(folder, name, "encryption.key"), "utf8");
  assert.equal(await keyOf("second"), await keyOf("first"));
  const second = spawnVedette(t, ["server"], settings("second"));
  assert.equal(await readKeys(await waitForAddress(second)), keysBefore);
});

it("an invalid backup file is rejected before a database is created", { skip }, async (t) => {
  const file = join(folder, "broken.backup");
  await writeFile(file, "a letter to my mother");
  const environment = settings("third");
  const rejected = await runVedette(t, ["restore", file], environment);
  assert.equal(rejected.code, 1);
  assert.match(rejected.errors, /^This is not a Vedette backup[\s\S]*`vedette backup FILE`/);
  assert.ok(!(await readdir(folder)).includes("third"));
  if (!isLongRun) return;
  const missing = await runVedette(t, ["restore"], environment);
  assert.match(missing.errors, /^restore requires exactly one file\./);
  const stray = await runVedette(t, ["verify", file, "--overwrite"], environment);
  assert.match(stray.errors, /^verify does not accept --overwrite\./);
});

it("the doctor works where no server can start, and creates no database", { skip }, async (t) => {
  const doctor = await runVedette(t, ["doctor", "--json"], settings("fourth"));
  const { findings } = JSON.parse(doctor.output);
  const sentences = findings.map((one: { sentence: string }) => one.sentence).join("\n");
  assert.match(sentences, /There is no database in .*fourth yet\./);
  assert.match(sentences, /memory is free/);
  assert.ok(!(await readdir(folder)).includes("fourth"));
  if (!isLongRun) return;
  const faulty = await runVedette(t, ["doctor"], settings("fourth", { BACKUP_KEEP: "none" }));
  assert.equal(faulty.code, 1);
  assert.match(faulty.output, /^FAIL {2}Machine: The configuration has a fault: BACKUP_KEEP/);
});

it("progress updates one line on a terminal, and writes separate lines elsewhere", () => {
  for (const isTTY of [true, false]) {
    let text = "";
    let nowMs = 0;
    const write = (more: string) => {
      text += more;
    };
    const progress = createTerminalProgress({ isTTY, write }, () => nowMs);
    for (nowMs = 0; nowMs <= 10_000; nowMs += 2_500) progress.show(`at ${nowMs}`);
    progress.end();
    assert.equal(
      text,
      isTTY
        ? `${["2500", "5000", "7500", "10000"].map((at) => `\r\x1b[Kat ${at}`).join("")}\r\x1b[K`
        : "at 5000\nat 10000\n",
    );
  }
});

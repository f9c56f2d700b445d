import assert from "node:assert/strict";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { withFiles } from "../../../../../test/support/imports/golden.ts";
import {
  type KumaTables,
  kumaTables,
  writeKumaDatabase,
} from "../../../../../test/support/imports/kuma-database.ts";
import { type DumpOptions, dumpSqlite } from "../../../../../test/support/imports/kuma-dump.ts";
import { test } from "../../../../../test/support/long-run.ts";
import { type Reading, UnreadableFile } from "../../reading.ts";
import { readUptimeKuma } from "./index.ts";

const options = { allowPrivate: false };

const readDump = (text: string | Uint8Array) =>
  withFiles({ "kuma.sql": text }, (files) => readUptimeKuma(files, options));

/** Reads the same rows from SQLite, and as a dump. */
function readBoth(
  tables: KumaTables,
  dumpOptions: DumpOptions = {},
  pack: (text: string) => string | Uint8Array = (text) => text,
): Promise<{ readonly sqlite: Reading; readonly dump: Reading }> {
  return withFiles({}, async (_, folder) => {
    const path = join(folder, "kuma.db");
    writeKumaDatabase(path, 2, tables);
    const sqlite = await readUptimeKuma([{ name: "kuma.db", path }], options);
    return { sqlite, dump: await readDump(pack(dumpSqlite(path, dumpOptions))) };
  });
}

const start = Date.parse("2026-11-01T00:00:00Z");
const beats = Array.from({ length: 5_000 }, (_, index) => ({
  ...{ monitor_id: 3 + (index % 2), status: index % 97 < 3 ? 0 : 1, ping: index % 50 },
  ...{ important: index % 97 < 4 ? 1 : 0, msg: `it's "${index}"\n\\ ; ), (` },
  time: new Date(start + index * 60_000).toISOString().replace("T", " ").replace("Z", ""),
}));
const total = { ping: 12.5, ping_min: 1, ping_max: 90, up: 1_400, down: 40 };
const tables: KumaTables = {
  ...kumaTables,
  monitor: [
    ...(kumaTables.monitor ?? []),
    {
      ...{ id: 20, name: 'Quo\'te \\ "x" ž 🚀; (a, b)\nline', type: "keyword", interval: 60 },
      ...{ url: "https://a.example.com/?a='b'&c=\\d", keyword: "it''s\tfine" },
    },
  ],
  heartbeat: beats,
  stat_hourly: [{ monitor_id: 3, timestamp: 1_793_664_000, ...total }],
  stat_daily: [{ monitor_id: 3, timestamp: 1_793_664_000, ...total }],
};

test("a dump gives the same resources, report and history as the database", async () => {
  const { sqlite, dump } = await readBoth(tables);
  assert.deepEqual(dump, sqlite);
  assert.ok(dump.history.some(({ outages }) => outages.length > 10));
  assert.match(JSON.stringify(dump.resources), /ž 🚀/);
});

test("rows of the same hour or day are summed", async () => {
  const at = 1_793_664_000;
  const { sqlite } = await readBoth({
    ...tables,
    stat_hourly: [
      { monitor_id: 3, timestamp: at, up: 10, down: 1, ping: 20, ping_min: 5, ping_max: 50 },
      {
        monitor_id: 3,
        timestamp: at + 1_800,
        up: 30,
        down: 0,
        ping: 40,
        ping_min: 8,
        ping_max: 90,
      },
      { monitor_id: 3, timestamp: at + 3_000, up: 0, down: 4, ping: 0, ping_min: 0, ping_max: 0 },
    ],
  });
  const history = sqlite.history.find(({ check }) => check === "kuma/3");
  const sum = { up: 40, down: 5, avgMs: 35, minMs: 5, maxMs: 90 };
  assert.deepEqual(history?.hours, [{ startMs: at * 1_000, ...sum }]);
});

test("so does a compressed dump with one statement for each row", async () => {
  const { sqlite, dump } = await readBoth(tables, { isSingle: true }, gzipSync);
  assert.deepEqual(dump, sqlite);
});

test("so does a dump whose totals are incomplete, from the single beats", async () => {
  const setting = [{ key: "migrateAggregateTableState", value: '"migrating"' }];
  const { sqlite, dump } = await readBoth({ ...tables, setting });
  assert.deepEqual(dump, sqlite);
  assert.ok(dump.history.some(({ hours }) => hours.length > 80));
});

const define = (table: string, ...columns: readonly string[]) =>
  `CREATE TABLE \`${table}\` (\n${columns.map((name) => `  \`${name}\` text`).join(",\n")}\n);\n`;
const heartbeat = define("heartbeat", "monitor_id", "status", "important", "time", "ping");
const both = `${define("monitor", "id", "name", "type")}${heartbeat}`;

test("malformed, truncated and hostile dumps are rejected with a reason", {
  isLong: true,
}, async () => {
  const whole = await withFiles({}, (_, folder) => {
    const path = join(folder, "kuma.db");
    writeKumaDatabase(path, 2, tables);
    return dumpSqlite(path);
  });
  const packed = gzipSync(whole);
  const cases: readonly [string | Uint8Array, RegExp][] = [
    [whole.slice(0, whole.length / 2), /its end is missing/],
    [whole.replace(/-- Dump completed.*\n/, ""), /its end is missing/],
    [packed.subarray(0, packed.length / 2), /damaged or incomplete/],
    [Buffer.concat([packed.subarray(0, 2_000), Buffer.alloc(2_000, 0x55)]), /damaged/],
    [gzipSync("hello"), /not a dump/],
    [gzipSync(`-- x\n${both}${" ".repeat(40 * 1_048_576)}'`), /its end is missing/],
    [gzipSync(`-- ${"x".repeat(40 * 1_048_576)}`), /larger than 16 MiB/],
    [
      `${both}INSERT INTO \`monitor\` VALUES (1,'${"x".repeat(17 * 1_048_576)}`,
      /larger than 16 MiB/,
    ],
    [`${both}INSERT INTO \`monitor\` VALUES (1,'a');`, /2 values for 3 columns/],
    [`${both}INSERT INTO \`monitor\` VALUES (1,sleep(5),'a');`, /cannot be read/],
    [`${both}INSERT INTO \`monitor\` SET id = 1;`, /unknown form/],
    [`${both}INSERT INTO \`monitor\` VALUES (1,'a','b'`, /its end is missing/],
    [`${both}${both}`, /more than once/],
    ["INSERT INTO `monitor` VALUES (1,'a','b');", /no definition of the table monitor/],
    ["CREATE TABLE `other` (\n `id` int\n);\n", /no tables monitor and heartbeat/],
    ["-- empty\n", /no tables monitor and heartbeat/],
    ["CREATE TABLE `monitor` (\n);", /definition of the table monitor/],
  ];
  for (const [content, reason] of cases) {
    await assert.rejects(
      () => readDump(content),
      (error) => error instanceof UnreadableFile && reason.test(error.message),
      String(reason),
    );
  }
});

test("nothing of a dump runs, and other tables, comments and settings are skipped", async () => {
  const { report } = await readDump(`# a comment
SET NAMES utf8mb4; USE \`kuma\`;
CREATE TABLE \`user\` (\n  \`id\` int\n);
INSERT INTO \`user\` VALUES (1,'; INSERT INTO monitor VALUES (7);'),(2,'/* \\' */');
/*!50003 CREATE TRIGGER x BEFORE INSERT ON monitor FOR EACH ROW SET a = ';' */;
CREATE TABLE \`monitor\` (
  \`id\` int(10) unsigned NOT NULL AUTO_INCREMENT,
  \`name\` varchar(150) DEFAULT NULL,
  \`type\` varchar(20) DEFAULT 'x;',
  \`hostname\` text,
  \`__proto__\` text,
  PRIMARY KEY (\`id\`),
  KEY \`name\` (\`name\`)
) ENGINE=InnoDB;
${heartbeat}
REPLACE INTO \`monitor\` (\`type\`, \`id\`, \`hostname\`, \`name\`) VALUES ('ping', 4, _utf8mb4'h.example.com', 'it''s') ,
  ('ping',5,'h.example.com',NULL) ON DUPLICATE KEY UPDATE id = 1;
ATTACH DATABASE '/etc/passwd' AS x;
DROP TABLE monitor;
`);
  assert.deepEqual(
    report.imported.map(({ origin, name }) => [origin, name]),
    [
      ["kuma/4", "it's"],
      ["kuma/5", "Monitor 5"],
    ],
  );
});

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { assertGolden, withFiles } from "../../../../../test/support/imports/golden.ts";
import {
  type KumaTables,
  kumaTables,
  runOnSqlite,
  writeKumaDatabase,
} from "../../../../../test/support/imports/kuma-database.ts";
import { UnreadableFile } from "../../reading.ts";
import { readUptimeKuma } from "./index.ts";

const options = { allowPrivate: false };
const secrets = /kuma-[a-z]+-secret|kumaPushToken123/;

function readTables(version: 1 | 2, tables: KumaTables) {
  return withFiles({}, (_, folder) => {
    const path = join(folder, "kuma.db");
    writeKumaDatabase(path, version, tables);
    return readUptimeKuma([{ name: "kuma.db", path }], options);
  });
}

function readText(text: string | Uint8Array) {
  return withFiles({ "kuma.db": text }, (files) => readUptimeKuma(files, options));
}

test("a database of version 1 becomes resources, and a report without secrets", async () => {
  const { report, resources, aliases } = await readTables(1, kumaTables);
  assertGolden("uptime-kuma-1", { report, resources, aliases });
  assert.doesNotMatch(JSON.stringify(report), secrets);
  assert.match(JSON.stringify(resources), /kuma-basic-secret/);
});

test("a database of version 2 has conditions, operators and bearer tokens", async () => {
  const { report, resources } = await readTables(2, {
    monitor: [
      {
        ...{ id: 1, name: "Name servers", type: "dns", interval: 60, hostname: "example.com" },
        ...{ dns_resolve_type: "NS", dns_resolve_server: "1.1.1.1" },
        conditions: JSON.stringify([
          {
            type: "expression",
            andOr: "and",
            variable: "record",
            operator: "contains",
            value: "ns1",
          },
        ]),
      },
      {
        ...{ id: 2, name: "Load", type: "json-query", interval: 60, url: "http://a.example.com" },
        ...{ json_path: "load", json_path_operator: ">=", expected_value: "2" },
      },
      {
        ...{ id: 3, name: "Token", type: "http", interval: 60, url: "https://a.example.com" },
        ...{ auth_method: "bearer", bearer_token: "kuma-bearer-secret", ip_family: "ipv6" },
      },
      {
        ...{ id: 4, name: "Rabbit", type: "rabbitmq", interval: 60 },
        rabbitmq_nodes: '["https://rabbit.example.com:15671"]',
      },
      {
        id: 5,
        name: "Five pings",
        type: "ping",
        interval: 60,
        hostname: "h.example.com",
        ping_count: 5,
      },
    ],
  });
  assertGolden("uptime-kuma-2", { report, resources });
  assert.doesNotMatch(JSON.stringify(report), secrets);
});

const greeter = `syntax = "proto3"; package shop.v1;
  message Ask { string name = 1; } message Answer { string text = 1; }
  service Greeter { rpc SayHello (Ask) returns (Answer); rpc Watch (Ask) returns (stream Answer); }`;

test("a gRPC monitor becomes a call of its method, or a connection with the reason", async () => {
  const call = { type: "grpc-keyword", interval: 60, grpc_protobuf: greeter, keyword: "hello" };
  const named = { ...call, grpc_service_name: "Greeter", grpc_method: "sayHello" };
  const rpc = { grpc_url: "rpc.example.com:50051", grpc_body: '{"name":"probe"}' };
  const { report, resources } = await readTables(1, {
    monitor: [
      { ...named, ...rpc, id: 1, name: "Hello", grpc_enable_tls: 1 },
      {
        ...{ ...named, ...rpc, id: 2, name: "No error", grpc_url: "dns:///rpc.example.com" },
        ...{ grpc_service_name: "shop.v1.Greeter", grpc_method: "SayHello", invert_keyword: 1 },
        ...{ keyword: "error", grpc_metadata: '{"tenant":"a"}' },
      },
      { ...named, ...rpc, id: 3, name: "Stream", grpc_method: "watch" },
      { ...named, ...rpc, id: 4, name: "Unknown field", grpc_body: '{"nmae":"probe"}' },
      { ...named, ...rpc, id: 5, name: "No file", grpc_protobuf: "message {" },
      { ...named, ...rpc, id: 6, name: "Socket", grpc_url: "unix:/run/rpc.sock" },
      { ...named, ...rpc, id: 7, name: "Metadata", grpc_metadata: '{"grpc-timeout":"1S"}' },
    ],
  });
  interface Call {
    readonly url: string;
    readonly port: number;
    readonly grpcConfig: { readonly metadata: readonly object[] };
    readonly assertions: readonly { readonly comparison: string }[];
  }
  const [hello, inverted] = resources.map(({ payload }) => payload.request as unknown as Call);
  assert.deepEqual(
    resources.map(({ payload }) => payload.checkType),
    ["GRPC", "GRPC", "TCP", "TCP", "TCP", "GRPC"],
  );
  assert.deepEqual([hello?.url, hello?.port], ["rpc.example.com", 50_051]);
  assert.deepEqual(hello?.grpcConfig, {
    ...{ mode: "BEHAVIOR", tls: true, serviceDefinition: "PROTO_FILE", protoContent: greeter },
    ...{ method: "shop.v1.Greeter/SayHello", message: '{"name":"probe"}', metadata: [] },
  });
  assert.equal(hello?.assertions[0]?.comparison, "CONTAINS");
  assert.deepEqual([inverted?.url, inverted?.port], ["rpc.example.com", 443]);
  assert.equal(inverted?.assertions[0]?.comparison, "NOT_CONTAINS");
  assert.deepEqual(inverted?.grpcConfig.metadata, [{ key: "tenant", value: "a" }]);
  const reasons = report.changed.map(({ name, field, why }) => `${name}, ${field}: ${why}`);
  assert.match(reasons.join("\n"), /Stream, type: .*is a stream/);
  assert.match(reasons.join("\n"), /Unknown field, type: .*nmae/);
  assert.match(reasons.join("\n"), /No file, type: The method cannot be called/);
  assert.match(reasons.join("\n"), /Metadata, metadata: It has a name or value/);
  assert.deepEqual(
    report.leftOut.map(({ name }) => name),
    ["Socket"],
  );
});

test("the JSON backup of version 1 gives the same checks as the database", async () => {
  const camel = (name: string) =>
    /^(?:basic_auth|docker|dns|accepted)/.test(name)
      ? name
      : name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const links = kumaTables.monitor_notification ?? [];
  const backup = {
    version: "1.23.16",
    notificationList: kumaTables.notification?.map(({ user_id, is_default, ...row }) => ({
      ...{ ...row, userId: user_id, isDefault: is_default === 1 },
    })),
    monitorList: kumaTables.monitor?.map((row) => ({
      ...Object.fromEntries(Object.entries(row).map(([name, value]) => [camel(name), value])),
      active: row.active !== 0,
      accepted_statuscodes: JSON.parse(String(row.accepted_statuscodes_json ?? '["200-299"]')),
      notificationIDList: Object.fromEntries(
        links.flatMap((link) =>
          link.monitor_id === row.id ? [[String(link.notification_id), true]] : [],
        ),
      ),
      tags: (kumaTables.monitor_tag ?? []).flatMap((tag) =>
        tag.monitor_id === row.id
          ? [{ ...tag, name: kumaTables.tag?.find(({ id }) => id === tag.tag_id)?.name }]
          : [],
      ),
    })),
  };
  const fromJson = await readText(JSON.stringify(backup));
  const fromDatabase = await readTables(1, { ...kumaTables, setting: [] });
  const isFromBackup = ({ type }: { type: string }) => !/status-page|maintenance/.test(type);
  assert.deepEqual(
    fromJson.resources.filter(isFromBackup),
    fromDatabase.resources.filter(isFromBackup),
  );
  assert.deepEqual(fromJson.aliases, fromDatabase.aliases);
  assert.match(fromJson.report.notes.join(), /no history, status pages/);
});

const beats = [
  { monitor_id: 1, status: 1, important: 1, time: "2026-11-10 09:00:00.000", ping: 20 },
  { monitor_id: 1, status: 1, time: "2026-11-10 09:30:00.000", ping: 40 },
  { monitor_id: 1, status: 2, time: "2026-11-10 10:00:00.000" },
  { monitor_id: 1, status: 0, important: 1, time: "2026-11-10 10:01:00.000" },
  { monitor_id: 1, status: 1, important: 1, time: "2026-11-10 10:05:00.000", ping: 30 },
  { monitor_id: 1, status: 3, important: 1, time: "2026-11-11 00:00:00.000" },
  { monitor_id: 1, status: 0, important: 1, time: "2026-11-11 01:00:00.000" },
];
const monitor = [{ id: 1, name: "Shop", type: "ping", interval: 60, hostname: "h.example.com" }];
const beatHistory = {
  check: "kuma/1",
  hours: [
    ["2026-11-10T09:00:00Z", 2, 0, 30, 20, 40],
    ["2026-11-10T10:00:00Z", 1, 2, 30, 30, 30],
    ["2026-11-11T01:00:00Z", 0, 1, null, null, null],
  ],
  days: [
    ["2026-11-10T00:00:00Z", 3, 2, 30, 20, 40],
    ["2026-11-11T00:00:00Z", 0, 1, null, null, null],
  ],
  outages: [
    { fromMs: Date.parse("2026-11-10T10:01:00Z"), toMs: Date.parse("2026-11-10T10:05:00Z") },
    { fromMs: Date.parse("2026-11-11T01:00:00Z"), toMs: null },
  ],
};
const toSlots = (rows: readonly (readonly (string | number | null)[])[]) =>
  rows.map(([at, up, down, avgMs, minMs, maxMs]) => {
    const startMs = Date.parse(String(at));
    return { startMs, up, down, avgMs, minMs, maxMs };
  });
const expected = {
  ...beatHistory,
  hours: toSlots(beatHistory.hours),
  days: toSlots(beatHistory.days),
};

test("version 1: beats become hours, days and outages; maintenance counts as neither", async () => {
  const { history } = await readTables(1, { monitor, heartbeat: beats });
  assert.deepEqual(history, [expected]);
});

const totals = {
  stat_hourly: [
    {
      monitor_id: 1,
      timestamp: 1_762_765_200,
      ping: 25,
      ping_min: 20,
      ping_max: 30,
      up: 60,
      down: 0,
    },
  ],
  stat_daily: [
    {
      monitor_id: 1,
      timestamp: 1_762_732_800,
      ping: 26,
      ping_min: 9,
      ping_max: 90,
      up: 1400,
      down: 40,
    },
  ],
};

test("version 2: the totals are read", async () => {
  const { history } = await readTables(2, { monitor, heartbeat: beats, ...totals });
  assert.deepEqual(history[0]?.hours, toSlots([["2025-11-10T09:00:00Z", 60, 0, 25, 20, 30]]));
  assert.deepEqual(history[0]?.days, toSlots([["2025-11-10T00:00:00Z", 1400, 40, 26, 9, 90]]));
  assert.equal(history[0]?.outages.length, 2);
});

test("version 2 that was not fully migrated: the beats are read, and the report mentions it", async () => {
  const setting = [{ key: "migrateAggregateTableState", value: '"migrating"' }];
  const tables = { monitor, heartbeat: beats, ...totals, setting };
  const { history, report } = await readTables(2, tables);
  assert.deepEqual(history, [expected]);
  assert.match(report.notes.join(), /was not completed/);
});

test("types that lie are ignored, not believed", async () => {
  const { report, resources } = await readTables(1, {
    monitor: [
      { id: 1, name: "Text interval", type: "ping", interval: "soon", hostname: "h.example.com" },
      {
        id: 2,
        name: "Own parent",
        type: "ping",
        interval: 60,
        hostname: "h.example.com",
        parent: 2,
      },
      { id: 3, name: null, type: "http", interval: 60, url: null },
      { id: 4, name: "No type", type: null, interval: 60 },
    ],
    heartbeat: [{ monitor_id: 1, status: 1, important: 1, time: "yesterday", ping: "fast" }],
  });
  assert.deepEqual(
    resources.map(({ logicalId, payload }) => [logicalId, payload.frequency]),
    [
      ["kuma/1", 1],
      ["kuma/2", 1],
    ],
  );
  assert.deepEqual(
    report.leftOut.map(({ origin }) => origin),
    ["kuma/3", "kuma/4"],
  );
});

test("a database in write-ahead mode is read without its log, and the report mentions it", async () => {
  await withFiles({}, async (_, folder) => {
    const path = join(folder, "kuma.db");
    writeKumaDatabase(path, 1, { monitor });
    const sql = "pragma journal_mode = wal; update monitor set name = 'Renamed'";
    const db = runOnSqlite(path, sql);
    const copy = join(folder, "copy.db");
    writeFileSync(copy, readFileSync(path));
    db.close();
    const { report } = await readUptimeKuma([{ name: "kuma.db", path: copy }], options);
    assert.deepEqual(
      report.imported.map(({ name }) => name),
      ["Shop"],
    );
    assert.match(report.notes.join(), /kuma\.db-wal/);
  });
});

test("files that are not of Uptime Kuma are rejected with a reason", async () => {
  const path = await withFiles({}, (_, folder) => {
    const file = join(folder, "kuma.db");
    writeKumaDatabase(file, 1, kumaTables);
    return readFileSync(file);
  });
  const other = await withFiles({}, (_, folder) => {
    const file = join(folder, "other.db");
    const sql = `create table heartbeat (id int);
      create view monitor as with recursive n(x) as (select 1 union all select x from n) select x from n`;
    runOnSqlite(file, sql).close();
    return readFileSync(file);
  });
  const broken = Buffer.from(path);
  broken.fill(0xff, 4_096, broken.length / 2);
  const cases: readonly [string | Uint8Array, RegExp][] = [
    ["", /neither a SQLite database/],
    ["hello", /neither a SQLite database/],
    ["{", /not valid JSON/],
    ['{"monitorList": 3}', /has no monitorList/],
    [Buffer.from([0xff, 0xfe, 0x00]), /not text in UTF-8/],
    [path.subarray(0, 100), /cannot be read|no tables/],
    [path.subarray(0, path.length / 2), /cannot be read|no tables/],
    [broken, /cannot be read|no tables/],
    [other, /no tables monitor and heartbeat/],
  ];
  for (const [content, reason] of cases) {
    await assert.rejects(
      () => readText(content),
      (error) => error instanceof UnreadableFile && reason.test(error.message),
    );
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertGolden, withFiles } from "../../../../test/support/imports/golden.ts";
import { UnreadableFile } from "../reading.ts";
import { readOpenstatus } from "./openstatus.ts";

const read = (text: string) =>
  withFiles({ "openstatus.yaml": text }, (files) => readOpenstatus(files, { allowPrivate: false }));

const file = `
"uptime-monitor":
  name: "Uptime"
  active: true
  frequency: "10m"
  kind: "http"
  regions: ["iad", "ams"]
  retry: 2
  timeout: 20000
  degradedAfter: 5000
  request:
    url: "https://shop.example.com"
    method: "POST"
    body: '{"a":1}'
    headers: { Authorization: "Bearer openstatus-secret" }
  assertions:
    - { kind: "statusCode", compare: "lte", target: 299 }
    - { kind: "header", key: "Server", compare: "contains", target: "nginx" }
    - { kind: "textBody", compare: "not_empty", target: "" }
    - { kind: "textBody", compare: "gt", target: "x" }
"database":
  name: "Database"
  frequency: "30s"
  kind: "tcp"
  request: { host: "db.example.com", port: 5432 }
"names":
  name: "Names"
  kind: "dns"
  frequency: "1m"
`;

test("monitors become checks, and a report without secrets", async () => {
  const { report, resources } = await read(file);
  assertGolden("openstatus", { report, resources });
  assert.doesNotMatch(JSON.stringify(report), /openstatus-secret/);
});

test("files that are not of openstatus are rejected with a reason", async () => {
  for (const text of ["hello: world", "- a", "a: ["]) {
    await assert.rejects(() => read(text), UnreadableFile);
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertGolden, withFiles } from "../../../../test/support/imports/golden.ts";
import { UnreadableFile } from "../reading.ts";
import { readHealthchecks } from "./healthchecks.ts";

const read = (text: string) =>
  withFiles({ "checks.json": text }, (files) => readHealthchecks(files, { allowPrivate: false }));

const uuid = "31365bce-8da9-4729-8ff3-aaa71d56b712";
const shared = { slug: "", desc: "", manual_resume: false, methods: "", n_pings: 1 };
const checks = [
  {
    ...{ ...shared, name: "Backup", tags: "prod  db prod", timeout: 3_600, grace: 900 },
    ...{ status: "up", uuid, ping_url: `https://hc.example.com/${uuid}` },
  },
  {
    ...{
      ...shared,
      name: "Report",
      tags: "",
      schedule: "0 3 * * 1-5",
      tz: "Europe/Riga",
      grace: 60,
    },
    ...{ status: "paused", methods: "POST", manual_resume: true },
    uuid: "41365bce-8da9-4729-8ff3-aaa71d56b712",
  },
  {
    ...{ ...shared, name: "Systemd", tags: "", schedule: "Mon..Fri 02:00", tz: "UTC", grace: 60 },
    uuid: "51365bce-8da9-4729-8ff3-aaa71d56b712",
  },
  { ...shared, name: "Hidden", tags: "", timeout: 60, grace: 60, unique_key: "2872190d95224bad" },
];

test("a list of checks becomes heartbeat checks that keep the uuid of their address", async () => {
  const { report, resources } = await read(JSON.stringify({ checks }));
  assertGolden("healthchecks", { report, resources });
  assert.doesNotMatch(JSON.stringify(report), /1365bce-8da9/);
});

test("addresses are kept by uuid, and by slug if the ping key is known", async () => {
  const key = "fqOOd6-F4MMNuCEnzTU01w";
  const [first, second] = checks.map((one) => ({ ...one, slug: "nightly" }));
  const other = { ...second, ping_url: `https://hc.example.com/${"k".repeat(22)}/weekly` };
  const keysOf = async (content: object) =>
    (await read(JSON.stringify(content))).aliases.map((alias) => alias.key);
  const otherId = "41365bce-8da9-4729-8ff3-aaa71d56b712";
  assert.deepEqual(await keysOf({ checks: [first] }), [uuid]);
  assert.deepEqual(await keysOf({ ping_key: key, checks: [first, other] }), [
    ...[uuid, `${key}/nightly`],
    ...[otherId, `${"k".repeat(22)}/weekly`],
  ]);
});

test("files that are not of Healthchecks are rejected with a reason", async () => {
  for (const text of ["", "[]", '{"checks": 1}', "{"]) {
    await assert.rejects(() => read(text), UnreadableFile);
  }
});

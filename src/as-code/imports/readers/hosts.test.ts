import assert from "node:assert/strict";
import { test } from "node:test";
import { assertGolden, withFiles } from "../../../../test/support/imports/golden.ts";
import { UnreadableFile } from "../reading.ts";
import { readHosts } from "./hosts.ts";

const read = (text: string) =>
  withFiles({ "hosts.txt": text }, (files) => readHosts(files, { allowPrivate: false }));

test("a list of hosts: URLs, hosts with ports and hosts to ping", async () => {
  const { report, resources } = await read(
    "# our hosts\nhttps://shop.example.com/health\ndb.example.com:5432\n[2001:db8::1]:22\n" +
      "192.0.2.1\n\nrouter.example.com, Core router\nftp://files.example.com\n192.0.2.1\n",
  );
  assertGolden("hosts", { report, resources });
});

test("a CSV file with a header has names, intervals and tags", async () => {
  const { report, resources } = await read(
    'Name,URL,Interval,Tags\nShop,https://shop.example.com,45,web prod\n"A, B",icmp://192.0.2.7,300,\n',
  );
  assertGolden("hosts-csv", { report, resources });
});

test("an empty or too long list is rejected", async () => {
  await assert.rejects(() => read("\n# nothing\n"), UnreadableFile);
  await assert.rejects(() => read("192.0.2.1\n".repeat(20_001)), UnreadableFile);
});

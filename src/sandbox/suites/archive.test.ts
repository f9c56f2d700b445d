import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { formatEntry } from "../../../test/support/servers/npm-registry.ts";
import { maxUnpackedBytes, readArchive } from "./archive.ts";

type Entry = Parameters<typeof formatEntry>;

const pack = (...entries: readonly Buffer[]) =>
  gzipSync(Buffer.concat([...entries, Buffer.alloc(1_024)]));
const packAll = (entries: readonly Entry[]) =>
  pack(...entries.map((entry) => formatEntry(...entry)));
const link = (path: string, target: string): Entry => [path, "", { type: "2", target }];

async function readFault(bytes: Buffer): Promise<string> {
  const archive = await readArchive(bytes);
  return "fault" in archive ? archive.fault : assert.fail("the archive was accepted");
}

test("files, folders, long paths and links inside of an archive are read", async () => {
  const long = `${"folder/".repeat(20)}test.spec.ts`;
  const record = `path=${long}\n`;
  const length = record.length + 4;
  const archive = await readArchive(
    pack(
      formatEntry("./package.json", "{}"),
      formatEntry("tests/", "", { type: "5" }),
      formatEntry("PaxHeader", `${length} ${record}`, { type: "x" }),
      formatEntry("cut", "long"),
      formatEntry("././@LongLink", "gnu/name.ts\0", { type: "L" }),
      formatEntry("cut", "gnu"),
      formatEntry("all", "", { type: "2", target: "tests" }),
      formatEntry("", "", { type: "g" }),
    ),
  );
  if ("fault" in archive) assert.fail(archive.fault);
  assert.deepEqual(
    archive.files.map(({ path, content, isExecutable }) => [path, String(content), isExecutable]),
    [
      ["package.json", "{}", true],
      [long, "long", true],
      ["gnu/name.ts", "gnu", true],
    ],
  );
  assert.deepEqual(archive.links, [{ path: "all", target: "tests" }]);
  assert.deepEqual(await readArchive(pack()), { files: [], links: [] });
});

test("an archive that would write outside of its folder is rejected", async () => {
  const invalid = /invalid path/;
  const outside = /leads out of it/;
  const below = /below another one/;
  const cases: readonly (readonly [RegExp, ...Entry[]])[] = [
    [invalid, ["../x", ""]],
    [invalid, ["/etc/x", ""]],
    [invalid, ["a/../../x", ""]],
    [invalid, ["a//x", ""]],
    [invalid, ["a\\b", ""]],
    [invalid, ["a\nb", ""]],
    [outside, link("a", "../x")],
    [outside, link("a", "/etc")],
    [outside, link("a/b", "../../x")],
    [outside, link("a", "")],
    [outside, link("a", ".")],
    [outside, ["dir/x", ""], link("one", "dir"), link("two", "one/../../x")],
    [outside, ["dir/x", ""], link("one", "dir"), link("two", "one")],
    [below, link("a", "b"), ["b/x", ""], ["a/x", ""]],
    [below, ["a/x", ""], link("a", "b")],
    [below, ["a", ""], ["a/b", ""]],
    [below, ["a", ""], ["a", "", { type: "5" }]],
    [/two entries/, ["a", "1"], ["./a", "2"]],
  ];
  for (const [expected, ...entries] of cases) {
    assert.match(await readFault(packAll(entries)), expected, JSON.stringify(entries));
  }
});

test("links to files, devices and damaged archives are rejected", async () => {
  for (const type of ["1", "3", "4", "6", "S"]) {
    const fault = await readFault(packAll([["a", "", { type, target: "b" }]]));
    assert.match(fault, /no file, folder or symbolic link: "a"/);
  }
  const entry = formatEntry("a", "content");
  const forged = Buffer.from(entry);
  forged.write("b");
  const long = formatEntry("a", "9 path=x\n", { type: "x" });
  for (const [bytes, expected] of [
    [Buffer.from("PK"), /not a gzip/],
    [gzipSync(Buffer.from("hello")), /not a gzip/],
    [pack(forged), /not a gzip/],
    [gzipSync(entry.subarray(0, 514)), /incomplete/],
    [pack(formatEntry("a", "0 path=x\n", { type: "x" }), entry), /invalid header/],
    [pack(formatEntry("a", "path=x\n", { type: "x" }), entry), /invalid header/],
    [entry.subarray(0, 10), /not a gzip/],
  ] as const) {
    assert.match(await readFault(bytes), expected);
  }
  assert.ok(!("fault" in (await readArchive(pack(long, entry)))));
});

test("an archive that expands without end, or has too many entries, is rejected", async () => {
  const part = gzipSync(formatEntry("a", Buffer.alloc(2 ** 20)));
  const parts = Array.from({ length: (maxUnpackedBytes / 2 ** 20) * 2 }, () => part);
  assert.match(await readFault(Buffer.concat(parts)), /larger than 64 MiB/);
  const entry = formatEntry("a", "");
  const many = Array.from({ length: 10_001 }, () => entry);
  assert.match(await readFault(pack(...many)), /more than 10000 entries/);
});

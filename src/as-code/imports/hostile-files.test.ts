import assert from "node:assert/strict";
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { withFiles } from "../../../test/support/imports/golden.ts";
import {
  writeInflatingDatabase,
  writeRepeatingDatabase,
} from "../../../test/support/imports/hostile-databases.ts";
import { kumaTables, writeKumaDatabase } from "../../../test/support/imports/kuma-database.ts";
import { test } from "../../../test/support/long-run.ts";
import { readInThread } from "./reader-thread.ts";
import type { ImportFile } from "./reading.ts";
import { UnreadableFile } from "./reading.ts";
import { type ImportSource, readers } from "./sources.ts";

const options = { allowPrivate: false };
const names = Object.keys(readers) as ImportSource[];

function buildAliasBomb(): string {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
  for (let level = 1; level <= 9; level += 1) {
    const aliases = Array(10).fill(`*a${level - 1}`);
    lines.push(`a${level}: &a${level} [${aliases.join(", ")}]`);
  }
  return lines.join("\n");
}

const assertUnreadable = (read: () => unknown, reason: RegExp, title: string) =>
  assert.rejects(
    async () => read(),
    (error) => {
      assert.ok(error instanceof UnreadableFile, `${title}: ${(error as Error).stack}`);
      assert.match(error.message, reason, title);
      assert.ok(error.message.length < 1_000, title);
      return true;
    },
    title,
  );

const hostile: Readonly<Record<string, string | Uint8Array>> = {
  "no bytes": "",
  "zero bytes": Buffer.alloc(100_000),
  "bytes that are not text": Buffer.from([0xff, 0xfe, 0xc0, 0x80, 0x0a]),
  "a compressed file": gzipSync(Buffer.alloc(20 * 1_048_576, "a\n")),
  "an archive": Buffer.from("504b0304140000000800ffff", "hex"),
  "aliases of aliases": buildAliasBomb(),
  "an alias of itself": "a: &a [*a, *a]",
  "deep YAML": `${"- ".repeat(5_000)}x`,
  "deep JSON": `${"[".repeat(200_000)}${"]".repeat(200_000)}`,
  "deep objects": `${'{"checks":'.repeat(100_000)}1${"}".repeat(100_000)}`,
  "a cut file": '{"monitorList": [{"id": 1, "name": "Sh',
  "keys of prototypes":
    '{"__proto__": {"endpoints": [], "checks": [], "monitorList": []}, "constructor": {"kind": "http"}}',
};

test("no hostile file breaks a reader, and none imports anything", async () => {
  for (const [title, content] of Object.entries(hostile)) {
    await withFiles({ "../../etc/passwd": content }, async (files) => {
      for (const source of names) {
        // Lines of text and keys of objects may be names, whose entries are left out.
        const read = async () => {
          const { report } = await readers[source](files, options);
          assert.deepEqual(report.imported, [], `${source}: ${title}`);
          throw new UnreadableFile(report.leftOut[0]?.why);
        };
        await assertUnreadable(read, /./, `${source}: ${title}`);
      }
    });
  }
  assert.equal(Object.hasOwn(Object.prototype, "endpoints"), false);
});

const withDatabase = (
  write: (path: string) => void,
  work: (files: readonly ImportFile[]) => Promise<unknown>,
) =>
  withFiles({}, async (_, folder) => {
    const path = join(folder, "kuma.db");
    write(path);
    await work([{ name: "kuma.db", path }]);
  });

const readKuma = (files: readonly ImportFile[], limitMs?: number) =>
  readInThread({ source: "uptime-kuma", files, options }, limitMs);

test("a sparse file of 3 GiB without a format is rejected unread", async () => {
  await withFiles({ "kuma.db": "" }, async (files) => {
    truncateSync(files[0]?.path ?? "", 3 * 1_024 * 1_048_576);
    for (const source of names) {
      const read = () => readers[source](files, options);
      await assertUnreadable(read, /larger than 64 MiB/, source);
    }
  });
});

test("a database of 1 GB that is mostly a hole is read without its hole", {
  isLong: true,
}, async () => {
  const write = (path: string) => {
    writeKumaDatabase(path, 2, kumaTables);
    truncateSync(path, 1_024 * 1_048_576);
  };
  await withDatabase(write, async (files) => {
    const before = process.memoryUsage().rss;
    const { report } = await readKuma(files);
    assert.equal(report.imported.length, 20);
    assert.ok(process.memoryUsage().rss - before < 512 * 1_048_576);
  });
});

test("a database whose pages repeat is rejected", async () => {
  await withDatabase(writeRepeatingDatabase, (files) =>
    assertUnreadable(() => readKuma(files), /more rows than fit into it/, "repeating pages"),
  );
});

test("a database whose values are larger than the file is rejected", async () => {
  const cases: readonly [number, RegExp][] = [
    [900_000_000, /too big/],
    [8 * 1_048_576, /more than 256 MiB of values/],
  ];
  for (const [bytes, reason] of cases) {
    await withDatabase(
      (path) => writeInflatingDatabase(path, bytes),
      (files) => assertUnreadable(() => readKuma(files), reason, String(bytes)),
    );
  }
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { anyCharacter, propertyRuns } from "../../../test/support/properties.ts";
import { type ArchivePart, ArchiveWriter, readArchive } from "./archive.ts";
import { openKey, sealKey } from "./backup-file.ts";
import { blockBytes, type Header, type Sequences, type TableStart } from "./format.ts";

const header: Header = {
  format: 1,
  program: "0.1.0",
  postgres: "18.4",
  startedAt: "2026-11-16T12:00:00.000Z",
  migrations: [{ name: "0001-accounts.sql", checksum: "a".repeat(64) }],
  sealedText: "sealed",
  key: null,
};

interface TestTable {
  readonly start: TableStart;
  readonly chunks: readonly Buffer[];
}

async function writeArchive(tables: readonly TestTable[], sequences: Sequences): Promise<Buffer> {
  const written: Buffer[] = [];
  const writer = new ArchiveWriter(async (bytes) => {
    written.push(Buffer.from(bytes));
  });
  await writer.begin(header);
  for (const { start, chunks } of tables) {
    await writer.beginTable(start);
    for (const chunk of chunks) await writer.addRows(chunk);
    await writer.endTable(chunks.length);
  }
  await writer.end(sequences);
  return Buffer.concat(written);
}

async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function readAll(bytes: Buffer, size = 4_096): Promise<ArchivePart[]> {
  const parts: ArchivePart[] = [];
  for await (const part of readArchive(cut(bytes, size))) parts.push(part);
  return parts;
}

const names = fc.string({ minLength: 1, maxLength: 60, unit: anyCharacter });
const tables = fc.array(
  fc.record({
    start: fc.record({
      name: names,
      columns: fc.array(names, { maxLength: 4 }),
      partition: fc.constantFrom(null, { parent: "results", bound: "FOR VALUES FROM (1) TO (2)" }),
    }),
    chunks: fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }).map(Buffer.from), {
      maxLength: 5,
    }),
  }),
  { maxLength: 3 },
);
const sequences = fc.array(
  fc.record({
    name: names,
    lastValue: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
    isCalled: fc.boolean(),
  }),
  { maxLength: 3 },
);

describe("a backup file", () => {
  it("returns what was written, for any chunk sizes", async () => {
    await fc.assert(
      fc.asyncProperty(tables, sequences, fc.integer({ min: 1, max: 5_000 }), async (...made) => {
        const [given, counters, size] = made;
        const starts = given.map(({ start }) => ({ ...start }));
        const parts = await readAll(await writeArchive(given, counters), size);
        const read = parts.flatMap((part) => (part.kind === "table" ? [part.start] : []));
        const rows = parts.flatMap((part) => (part.kind === "rows" ? [part.rows] : []));
        assert.deepEqual(parts[0], { kind: "header", header });
        assert.deepEqual(read, starts);
        const expected = Buffer.concat(given.flatMap(({ chunks }) => chunks));
        assert.deepEqual(Buffer.concat(rows), expected);
        const expectedCounters = counters.map((one) => ({ ...one }));
        assert.deepEqual(parts.at(-2), { kind: "sequences", sequences: expectedCounters });
        assert.equal(parts.at(-1)?.kind, "end");
      }),
      { numRuns: propertyRuns / 4 },
    );
  });

  it("stores rows longer than a block and blocks that do not compress", async () => {
    const long = Buffer.alloc(2 * blockBytes + 77);
    for (let at = 0; at < long.length; at += 4)
      long.writeUInt32LE((at * 2_654_435_761) >>> 0, at % (long.length - 4));
    const start = { name: "results", columns: ["id"], partition: null };
    const parts = await readAll(await writeArchive([{ start, chunks: [long] }], []), 700_001);
    const rows = parts.flatMap((part) => (part.kind === "rows" ? [part.rows] : []));
    assert.equal(rows.length, 3);
    assert.ok(Buffer.concat(rows).equals(long));
  });

  const sample = () =>
    writeArchive(
      [
        {
          start: { name: "checks", columns: ["id", "name"], partition: null },
          chunks: [Buffer.from("1\ta\n"), Buffer.from("2\tb\n")],
        },
      ],
      [{ name: "checks_id_seq", lastValue: "2", isCalled: true }],
    );

  it("is rejected if it is truncated at any byte", async () => {
    const whole = await sample();
    for (let length = 0; length < whole.length; length += 1) {
      await assert.rejects(readAll(whole.subarray(0, length)), /truncated|not a Vedette backup/);
    }
    await assert.rejects(readAll(Buffer.concat([whole, Buffer.from([0])])), /data after its end/);
  });

  it("is rejected if any bit is flipped", async () => {
    const whole = await sample();
    for (let at = 0; at < whole.length; at += 1) {
      const broken = Buffer.from(whole);
      broken[at] = (broken[at] ?? 0) ^ (1 << ((at * 5) % 8));
      await assert.rejects(
        readAll(broken),
        /damaged|truncated|not a Vedette backup/,
        `a bit of byte ${at} may be flipped`,
      );
    }
  });

  it("is rejected if records are missing or reordered", async () => {
    const whole = await sample();
    const end = whole.lastIndexOf("Z");
    const table = whole.indexOf("T", whole.indexOf("0001-accounts") + 100);
    const without = Buffer.concat([whole.subarray(0, table), whole.subarray(end)]);
    await assert.rejects(readAll(without), /not in order|checksum/);
  });
});

it("a backup of a newer version names the version that restores it", async () => {
  const { buildRecord, magic } = await import("./format.ts");
  const future = Buffer.from(JSON.stringify({ format: 2, program: "9.9.9", anything: true }));
  const bytes = Buffer.concat([magic, buildRecord("H", future)]);
  await assert.rejects(readAll(bytes), /newer version of Vedette \(9\.9\.9\)/);
});

it("an encryption key is decrypted with its passphrase and no other", async () => {
  const sealed = await sealKey("the key", "correct horse");
  assert.equal(await openKey(sealed, "correct horse"), "the key");
  assert.ok(!JSON.stringify(sealed).includes("the key"));
  await assert.rejects(openKey(sealed, "wrong horse"), /BACKUP_PASSPHRASE does not decrypt/);
});

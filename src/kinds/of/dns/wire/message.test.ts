import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  replyTo,
  writeDnsName,
  writeDnsRecord,
} from "../../../../../test/support/servers/dns-server.ts";
import { measureCpuMs } from "../../../../../test/support/time/cpu-time.ts";
import { WireFault } from "./bytes.ts";
import { decodeMessage, encodeQuery, isAnswerTo, maxKeptBytes, maxRecords } from "./message.ts";

const question = { name: "www.example.com", type: 1 };
const query = encodeQuery(question, { id: 4_711, isExtended: true });

const readAnswers = (...answers: readonly Buffer[]) =>
  decodeMessage(replyTo(query, { answers })).answers;
const dataOf = (type: number, data: Buffer | readonly number[]) =>
  readAnswers(writeDnsRecord(type, data))[0];

function faultOf(message: Buffer): string {
  try {
    decodeMessage(message);
  } catch (error) {
    assert.ok(error instanceof WireFault, String(error));
    return error.message;
  }
  return "none";
}

test("a query has one question, requests recursion and announces its buffer size", () => {
  assert.equal(
    query.toString("hex"),
    "1267" +
      "0120" +
      "0001000000000001" +
      "03777777076578616d706c6503636f6d00" +
      "00010001" +
      "00002904d0000000000000",
  );
  const plain = encodeQuery({ name: ".", type: 2 }, { id: 0, isExtended: false });
  assert.equal(plain.toString("hex"), "000001200001000000000000" + "00" + "00020001");
});

test("data of every type is formatted in zone file syntax", () => {
  const soa = Buffer.concat([
    writeDnsName("ns1.example.com"),
    writeDnsName("admin.example.com"),
    Buffer.from("78a4ae44" + "00001c20" + "00000e10" + "00127500" + "00000e10", "hex"),
  ]);
  const table: readonly (readonly [number, Buffer | readonly number[], string])[] = [
    [1, [192, 0, 2, 1], "192.0.2.1"],
    [2, writeDnsName("ns1.example.com"), "ns1.example.com."],
    [5, [0xc0, 12], "www.example.com."],
    [5, [1, 0x61, 0xc0, 16], "a.example.com."],
    [5, [0], "."],
    [6, soa, "ns1.example.com. admin.example.com. 2024058436 7200 3600 1209600 3600"],
    [12, writeDnsName("Host.Example"), "Host.Example."],
    [15, [0, 10, ...writeDnsName("mail.example.com")], "10 mail.example.com."],
    [28, [...Array(15).fill(0), 1], "::1"],
    [28, Buffer.from("20010db8000000000001000000000001", "hex"), "2001:db8::1:0:0:1"],
    [28, Buffer.from("20010db8000100020003000400050000", "hex"), "2001:db8:1:2:3:4:5:0"],
    [28, Array(16).fill(0), "::"],
    [33, [0, 1, 0, 2, 0x14, 0x66, ...writeDnsName("sip.example")], "1 2 5222 sip.example."],
    [257, [0, 5, ...Buffer.from("issueca.example")], '0 issue "ca.example"'],
    [99, [1, 2, 255], "\\# 3 0102ff"],
    [99, [], "\\# 0"],
  ];
  for (const [type, data, wanted] of table) {
    const record = dataOf(type, data);
    assert.deepEqual([record?.data, record?.isBroken], [wanted, false]);
  }
});

test("the test vectors of RFC 9460 are formatted as in the RFC", () => {
  const table: readonly (readonly [string, string])[] = [
    ["000003666f6f076578616d706c6503636f6d00", "0 foo.example.com."],
    ["000100", "1 ."],
    ["001003666f6f076578616d706c6503636f6d00000300020035", "16 foo.example.com. port=53"],
    [
      "000103666f6f076578616d706c6503636f6d00029b000568656c6c6f",
      '1 foo.example.com. key667="hello"',
    ],
    [
      "000103666f6f076578616d706c6503636f6d00029b000968656c6c6fd2716f6f",
      '1 foo.example.com. key667="hello\\210qoo"',
    ],
    [
      "000103666f6f076578616d706c6503636f6d0000060020" +
        "20010db8000000000000000000000001" +
        "20010db8000000000000000000530001",
      "1 foo.example.com. ipv6hint=2001:db8::1,2001:db8::53:1",
    ],
    [
      "001003666f6f076578616d706c65036f726700" +
        "0000000400010004" +
        "000100090268320568332d3139" +
        "00040004c0000201",
      '16 foo.example.org. mandatory=alpn,ipv4hint alpn="h2,h3-19" ipv4hint=192.0.2.1',
    ],
    [
      "001003666f6f076578616d706c65036f7267000001000c08665c6f6f2c626172026832",
      '16 foo.example.org. alpn="f\\\\\\\\oo\\\\,bar,h2"',
    ],
  ];
  for (const [hex, wanted] of table) {
    const record = dataOf(65, Buffer.from(hex, "hex"));
    assert.deepEqual([record?.type, record?.data, record?.isBroken], ["HTTPS", wanted, false]);
  }
});

test("texts are joined, and non-printable bytes are escaped", () => {
  const pieces = ["v=DKIM1; ", 'p="\\', "\0\x1b[31m\n", "\u{202e}é"].map((piece) => {
    const bytes = Buffer.from(piece);
    return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  });
  const record = dataOf(16, Buffer.concat(pieces));
  assert.equal(record?.data, 'v=DKIM1; p="\\\\\\000\\027[31m\\010\\226\\128\\174\\195\\169');
  assert.ok(record?.zoneText.startsWith('"v=DKIM1; " "p=\\"'));
  const name = writeDnsRecord(1, [1, 2, 3, 4], {
    name: Buffer.from([5, 0x2e, 0x22, 0x20, 0xff, 0x0a, 0]),
  });
  assert.equal(readAnswers(name)[0]?.name, '\\.\\"\\ \\255\\010.');
});

test("invalid data of a record is shown as bytes and does not affect other records", () => {
  const broken: readonly (readonly [number, Buffer | readonly number[]])[] = [
    [1, [1, 2, 3]],
    [1, [1, 2, 3, 4, 5]],
    [28, [0]],
    [15, [0]],
    [2, [3, 0x61]],
    [2, [0xc0]],
    [2, [0, 0]],
    [2, [0x80, 1]],
    [16, []],
    [16, [9, 0x61]],
    [257, [0, 1, 0x20]],
    [257, [0, 9, 0x61]],
    [65, [0, 1, 0, 0, 3, 0, 1, 7]],
    [65, [0, 1, 0, 0, 3, 0, 2, 0, 1, 0, 1, 0, 3, 2, 0x68, 0x32]],
    [65, [0, 1, 0, 0, 1, 0, 9, 2]],
  ];
  for (const [type, data] of broken) {
    const good = writeDnsRecord(1, [192, 0, 2, 1]);
    const [first, second] = readAnswers(writeDnsRecord(type, data), good);
    assert.equal(first?.isBroken, true, JSON.stringify([type, data]));
    assert.match(first?.data ?? "", /^\\# \d+/);
    assert.equal(second?.data, "192.0.2.1");
  }
  // A pointer of data to itself, and one into the name that is being read.
  const start = replyTo(query).length;
  for (const at of [start + 12, start + 13]) {
    const [looped] = readAnswers(writeDnsRecord(5, [1, 0x61, 0xc0 | (at >> 8), at & 0xff]));
    assert.equal(looped?.isBroken, true);
  }
});

test("a message with inconsistent lengths, counts or names is rejected with the reason", () => {
  const whole = replyTo(query, { answers: [writeDnsRecord(1, [1, 2, 3, 4])] });
  const start = replyTo(query).length;
  const pointerTo = (at: number) => Buffer.from([0xc0 | (at >> 8), at & 0xff]);
  const named = (name: Buffer) => replyTo(query, { answers: [writeDnsRecord(1, [], { name })] });
  const longName = Buffer.concat(Array.from({ length: 5 }, () => writeDnsName("x".repeat(60))));
  const table: readonly (readonly [Buffer, RegExp])[] = [
    [whole.subarray(0, 11), /past the end/],
    [whole.subarray(0, whole.length - 1), /past the end/],
    [Buffer.concat([whole, Buffer.from([0])]), /after its last record/],
    [replyTo(query, { answers: [], answerCount: 65_535 }), /past the end/],
    [replyTo(query, { answers: [writeDnsRecord(1, [1], { length: 65_535 })] }), /past the end/],
    [named(pointerTo(start)), /does not point backwards/],
    [named(pointerTo(start + 2)), /does not point backwards/],
    [named(pointerTo(0x3fff)), /does not point backwards/],
    [named(Buffer.from([0x40, 0])), /unknown kind/],
    [named(Buffer.from(longName.filter((byte) => byte !== 0))), /longer than 255|past the end/],
  ];
  for (const [message, fault] of table) assert.match(faultOf(message), fault);
  for (let length = 0; length < whole.length; length += 1) {
    assert.notEqual(faultOf(whole.subarray(0, length)), "none");
  }
});

test("an answer matches the query by id and case-insensitive question", () => {
  const answer = replyTo(query);
  assert.equal(isAnswerTo(answer, query), true);
  const upper = Buffer.from(answer);
  upper.write("WWW", 13);
  assert.equal(isAnswerTo(upper, query), true);
  const other = encodeQuery({ name: "www.example.org", type: 1 }, { id: 4_711, isExtended: true });
  const otherType = encodeQuery({ ...question, type: 28 }, { id: 4_711, isExtended: true });
  const otherId = encodeQuery(question, { id: 4_712, isExtended: true });
  for (const wrong of [other, otherType, otherId]) {
    assert.equal(isAnswerTo(replyTo(wrong), query), false);
  }
  assert.equal(isAnswerTo(query, query), false, "a query is no answer");
  assert.equal(isAnswerTo(answer.subarray(0, 20), query), false);
  assert.equal(isAnswerTo(Buffer.alloc(0), query), false);
  // A server that did not understand the query need not repeat the question; others must.
  const bare = Buffer.from(answer.subarray(0, 12));
  bare.writeUInt16BE(0, 4);
  assert.equal(isAnswerTo(bare, query), false);
  bare.writeUInt16BE(0x8181, 2);
  assert.equal(isAnswerTo(bare, query), true);
});

test("the beginning of a long answer is kept and can be decoded alone", () => {
  const many = Array.from({ length: 3_000 }, (_, index) =>
    writeDnsRecord(1, [10, 0, index >> 8, index & 0xff]),
  );
  const opt = writeDnsRecord(41, [], { name: Buffer.from([0]), ttl: 0x0100_0000 });
  const whole = replyTo(query, { answers: many, additionals: [opt] });
  const message = decodeMessage(whole);
  assert.equal(message.isCut, true);
  assert.equal(message.answers.length, maxRecords);
  assert.equal(message.responseCode, 16, "the rest is read for what it says about all");
  const kept = decodeMessage(whole.subarray(0, message.keptBytes), true);
  assert.deepEqual(kept.answers, message.answers);
  assert.equal(kept.isCut, true);

  const large = writeDnsRecord(99, Buffer.alloc(maxKeptBytes));
  const small = writeDnsRecord(1, [1, 2, 3, 4]);
  const cut = decodeMessage(replyTo(query, { answers: [small, large, small] }));
  assert.deepEqual([cut.answers.length, cut.isCut], [1, true]);
});

const octets = fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes));

test("any bytes are decoded or rejected, and the result is bounded", () => {
  const check = (bytes: Buffer) => {
    isAnswerTo(bytes, query);
    try {
      const message = decodeMessage(bytes);
      const text = JSON.stringify(message);
      assert.ok(text.length < 100_000);
      assert.ok(/^[ -~]*$/.test(text));
      const kept = decodeMessage(bytes.subarray(0, message.keptBytes), true);
      assert.deepEqual(kept.answers, message.answers);
      assert.equal(kept.keptBytes, message.keptBytes);
    } catch (error) {
      if (!(error instanceof WireFault)) throw error;
    }
  };
  fc.assert(fc.property(octets, check));
  // Well-framed records with random data, which reach the readers of each type.
  const type = fc.constantFrom(1, 2, 5, 6, 12, 15, 16, 28, 33, 39, 41, 64, 65, 99, 257);
  const record = fc.tuple(type, octets).map(([number, data]) => writeDnsRecord(number, data));
  const framed = fc.array(record, { maxLength: 8 }).map((answers) => replyTo(query, { answers }));
  fc.assert(fc.property(framed, check));
  // A valid message with some bytes changed.
  const good = replyTo(query, {
    answers: [
      writeDnsRecord(5, [1, 0x61, 0xc0, 16]),
      writeDnsRecord(16, [3, 1, 2, 3]),
      writeDnsRecord(65, [0, 1, 0, 0, 3, 0, 2, 0, 1]),
    ],
  });
  const change = fc.tuple(fc.nat(good.length - 1), fc.nat(255));
  const changed = fc.array(change, { minLength: 1, maxLength: 6 }).map((changes) => {
    const bytes = Buffer.from(good);
    for (const [at, value] of changes) bytes[at] = value;
    return bytes;
  });
  fc.assert(fc.property(changed, check));
});

test("the most expensive message of 64 kB costs at most as much CPU as its first hundred records", () => {
  // One-byte labels, each reached by a separate pointer, and as many records as fit.
  const chain: Buffer[] = [writeDnsRecord(99, Buffer.alloc(0))];
  const start = replyTo(query).length + 12;
  const links: number[] = [1, 0x61, 0];
  let last = start;
  for (let link = 0; link < 120; link += 1) {
    const at = start + links.length;
    links.push(1, 0x61, 0xc0 | (last >> 8), last & 0xff);
    last = at;
  }
  chain[0] = writeDnsRecord(99, links);
  const name = Buffer.from([0xc0 | (last >> 8), last & 0xff]);
  while (chain.length < 4_600) chain.push(writeDnsRecord(5, name, { name }));
  const message = replyTo(query, { answers: chain });
  assert.ok(message.length > 60_000 && message.length < 65_536);
  const cpuMs = measureCpuMs(() => {
    for (let round = 0; round < 20; round += 1) decodeMessage(message);
  });
  assert.ok(cpuMs / 20 < 20, `${cpuMs / 20} ms`);
});

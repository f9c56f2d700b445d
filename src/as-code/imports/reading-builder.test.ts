import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../test/support/properties.ts";
import {
  certificatePayload,
  dnsPayload,
  dnsRecordTypes,
  expect,
  grpcHealthPayload,
  heartbeatPayload,
  type KindPayload,
  pingPayload,
  tcpPayload,
  webMethods,
  webPayload,
} from "../../kinds/kit/check-payloads.ts";
import { cutName, findResourceFault, ReadingBuilder } from "./reading-builder.ts";

const common = {
  frequency: 5,
  tags: ["imported"],
  activated: true,
  muted: false,
};
const web = webPayload({ url: "https://example.com" });

const create = () => new ReadingBuilder({ allowPrivate: false });
const originOf = (origin: string, name = origin) => ({ origin, name });

test("a check is imported with its name and the kind that it becomes", () => {
  const builder = create();
  assert.ok(builder.addCheck(originOf("tool/1", "Web"), web, common));
  const { resources, report } = builder.finish();
  assert.deepEqual(resources, [
    { type: "check", logicalId: "tool/1", payload: { name: "Web", ...common, ...web } },
  ]);
  assert.deepEqual(report.imported, [
    { origin: "tool/1", type: "check", name: "Web", as: "URL check" },
  ]);
});

test("what is not valid here is left out with its fault, and the first of two of one id counts", () => {
  const builder = create();
  const bad = webPayload({ url: "ftp://example.com" });
  assert.equal(builder.addCheck(originOf("tool/1"), bad, common), false);
  assert.equal(builder.addCheck(originOf("tool 2"), web, common), false);
  assert.ok(builder.addCheck(originOf("tool/3", "First"), web, common));
  assert.equal(builder.addCheck(originOf("tool/3", "Second"), web, common), false);
  const { resources, report } = builder.finish();
  assert.equal(resources.length, 1);
  const [url, id, twice] = report.leftOut;
  assert.match(url?.why ?? "", /^It is not valid here: .*url/);
  assert.equal(id?.why, "Its identifier is not valid.");
  assert.deepEqual([twice?.name, twice?.why], ["Second", "The file contains it more than once."]);
});

test("a channel must exist here and may not reach private addresses, unless that is allowed", () => {
  const find = (payload: object, allowPrivate = false) =>
    findResourceFault(
      { type: "alert-channel", logicalId: "tool/c", payload: payload as never },
      { allowPrivate },
    );
  const hook = (url: string) => ({
    type: "WEBHOOK",
    config: { name: "Hook", url, method: "POST" },
  });
  assert.equal(find({ type: "EMAIL", config: { address: "ops@example.com" } }), null);
  assert.match(find({ type: "EMAIL", config: { address: "ops" } }) ?? "", /address/);
  for (const type of ["FAX", "constructor", undefined]) {
    assert.equal(find({ type, config: {} }), "There is no such channel here.");
  }
  assert.equal(find(hook("https://hooks.example.com/x")), null);
  assert.match(find(hook("http://10.0.0.1/x")) ?? "", /^It is not valid here: /);
  assert.equal(find(hook("http://10.0.0.1/x"), true), null);
});

test("a subscription connects what is imported, and nothing else", () => {
  const builder = create();
  const channel = { type: "EMAIL", config: { address: "ops@example.com" } };
  builder.add({ type: "alert-channel", logicalId: "tool/c", payload: channel }, "Ops");
  builder.add({ type: "check-group", logicalId: "tool/g", payload: { name: "Shop" } }, "Shop");
  builder.addCheck(originOf("tool/1"), web, common);
  for (const target of ["tool/1", "tool/g", "tool/gone"]) builder.subscribe("tool/c", target);
  builder.subscribe("tool/gone", "tool/1");
  const { resources, report } = builder.finish();
  const subscriptions = resources.filter(({ type }) => type === "alert-channel-subscription");
  assert.deepEqual(
    subscriptions.map(({ payload }) => payload),
    [
      { alertChannelId: { ref: "tool/c" }, checkId: { ref: "tool/1" }, activated: true },
      { alertChannelId: { ref: "tool/c" }, groupId: { ref: "tool/g" }, activated: true },
    ],
  );
  // The report is about what people have in their old tool.
  assert.deepEqual(
    report.imported.map(({ as }) => as),
    ["EMAIL channel", "group", "URL check"],
  );
});

test("changes of what was left out are not reported, and texts are short and on one line", () => {
  const builder = create();
  const change = { from: "a\nb", to: "x".repeat(500), why: "Because." };
  builder.change(originOf("tool/1"), "interval", change);
  builder.change(originOf("tool/2"), "interval", change);
  builder.change(originOf("module/m"), "dns", change);
  builder.addCheck(originOf("tool/1"), web, common);
  builder.leaveOut(originOf("tool/2"), "It is of an unknown type.");
  const { changed } = builder.finish().report;
  assert.deepEqual(
    changed.map(({ origin }) => origin),
    ["tool/1", "module/m"],
  );
  assert.deepEqual([changed[0]?.from, changed[0]?.to.length], ["a b", 200]);
});

test("a note is listed once, and their number is limited", () => {
  const builder = create();
  for (let note = 0; note < 300; note += 1) builder.note(`Note ${note % 150}`);
  const { notes } = builder.finish().report;
  assert.deepEqual([notes.length, new Set(notes).size], [100, 100]);
});

test("aliases and histories of what was left out are dropped", () => {
  const builder = create();
  builder.addCheck(originOf("tool/1"), web, common);
  for (const check of ["tool/1", "tool/2"]) {
    builder.addAlias({ check, form: "gatus", key: "k", token: "t" });
    builder.addHistory({ check, hours: [], days: [], outages: [] });
  }
  const { aliases, history } = builder.finish();
  assert.deepEqual(
    [aliases.map(({ check }) => check), history.map(({ check }) => check)],
    [["tool/1"], ["tool/1"]],
  );
});

test("any name becomes one that is allowed here", () => {
  assert.equal(cutName(" \u0000\n "), "Unnamed");
  assert.equal(cutName("Web\tshop\u2028EU"), "Web shop EU");
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 400 }), (text) => {
      const name = cutName(text);
      assert.ok(name.length > 0 && name.length <= 255 && name.isWellFormed());
      const builder = create();
      assert.ok(builder.addCheck(originOf("tool/1", text), web, common), JSON.stringify(name));
    }),
    { numRuns: 30 },
  );
});

const times = fc.option(fc.double({ min: 0, max: 1e7, noNaN: true }), { nil: null });
const ports = fc.integer({ min: 1, max: 65_535 });
const hosts = fc.constantFrom("a.example.com", "192.0.2.1", "2001:db8::1");
const urls = fc.constantFrom(
  "https://a.example.com/x?y=z",
  "http://192.0.2.1:8080",
  "https://[2001:db8::1]/",
  "https://ada:secret@a.example.com/",
);

const payloads: fc.Arbitrary<KindPayload> = fc.oneof(
  fc
    .record({
      url: urls,
      method: fc.constantFrom(...webMethods),
      timeoutMs: times,
      degradedMs: times,
      followRedirects: fc.boolean(),
      skipCertificate: fc.boolean(),
      headers: fc.constantFrom([], [{ key: "X-A", value: "b", locked: true }]),
      assertions: fc.constantFrom([], expect.statusBetween(200, 299), [expect.bodyContains("ok")]),
    })
    .map(webPayload),
  fc.record({ host: hosts, pings: fc.integer({ min: -5, max: 500 }) }).map(pingPayload),
  fc.record({ host: hosts, port: ports, timeoutMs: times }).map(tcpPayload),
  fc
    .record({ host: hosts, port: ports, isSecure: fc.boolean(), timeoutMs: times })
    .map(grpcHealthPayload),
  fc
    .record({
      name: fc.constant("a.example.com"),
      record: fc.constantFrom(...dnsRecordTypes.filter((type) => type !== "PTR")),
      server: fc.constantFrom(null, "192.0.2.53"),
      isTcp: fc.boolean(),
      timeoutMs: times,
    })
    .map(dnsPayload),
  fc
    .record({ host: hosts, port: ports, days: fc.option(fc.integer({ min: -5, max: 9_999 })) })
    .map(certificatePayload),
  fc
    .record({
      periodSeconds: fc.integer({ min: 30, max: 365 * 86_400 }),
      graceSeconds: fc.integer({ min: 0, max: 365 * 86_400 }),
    })
    .map(heartbeatPayload),
);

test("every payload that importers build from valid values is a valid check", () => {
  fc.assert(
    fc.property(payloads, (payload) => {
      const builder = create();
      builder.addCheck(originOf("tool/1"), payload, common);
      assert.deepEqual(builder.finish().report.leftOut, [], JSON.stringify(payload));
    }),
  );
});

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { addStranger, createKey, type Stranger } from "../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import { makeCertificate } from "../../../test/support/certificates/make-certificate.ts";
import { type ClientCertificateRecord, chooseCertificate } from "./certificate-input.ts";

const path = "/v1/client-certificates";
const made = makeCertificate({ name: "client" });
const passphrase = "open sesame";
const encrypted = made.privateKey
  .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase })
  .toString();
/** A line of the key; no response may contain it. */
const [, keyLine = ""] = made.key.split("\n");

let app: TestApp;
let stranger: Stranger;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  stranger = await addStranger(app);
});
after(() => app.stop());

const whole = { host: "api.example.com", cert: made.cert, key: made.key };
const create = (body: Readonly<Record<string, unknown>>) => app.call("POST", path, { body });

test("a certificate is created, listed, read and deleted, and its key is never shown", async () => {
  const answer = await create({ ...whole, ca: made.cert, key: encrypted, passphrase });
  assert.equal(answer.status, 201, answer.text);
  const { id, created_at, ...rest } = answer.body;
  assert.deepEqual(rest, { host: "api.example.com", cert: made.cert, ca: made.cert });
  assert.match(created_at, /Z$/);
  const reader = await createKey(app, "READ_ONLY");
  const read = await app.call("GET", `${path}/${id}`, { key: reader.key });
  assert.deepEqual([read.status, read.body], [200, answer.body]);
  const list = await app.call("GET", path, { key: reader.key });
  assert.deepEqual(list.body, [answer.body]);
  const { rows } = await app.query("select one::text as text from client_certificates one", []);
  const audit = await app.call("GET", "/v1/audit-log");
  for (const text of [answer.text, list.text, rows[0].text, audit.text, app.logText()]) {
    assert.ok(!text.includes(keyLine) && !text.includes(passphrase), text);
  }
  assert.equal((await app.call("DELETE", `${path}/${id}`)).status, 204);
  assert.equal((await app.call("GET", `${path}/${id}`)).status, 404);
  assert.equal((await app.call("DELETE", `${path}/${id}`)).status, 404);
});

test("faults name the field", async () => {
  const cases: readonly [string, Readonly<Record<string, unknown>>][] = [
    ["host", { ...whole, host: "https://a.example" }],
    ["host", { cert: made.cert }],
    ["cert", { ...whole, cert: "x" }],
    ["cert", { ...whole, cert: "x".repeat(100_001) }],
    ["ca", { ...whole, ca: "x" }],
    ["key", { ...whole, key: "x".repeat(50_001) }],
    ["key", { ...whole, key: makeCertificate().key }],
    ["passphrase", { ...whole, key: encrypted }],
    ["passphrase", { ...whole, key: encrypted, passphrase: "wrong" }],
  ];
  for (const [field, body] of cases) {
    const { status, body: answer } = await create(body);
    assert.equal(status, 400);
    assert.deepEqual(answer.validation.keys, [field]);
    assert.ok(!JSON.stringify(answer).includes(keyLine));
  }
  assert.ok(!app.logText().includes(keyLine));
});

test("a certificate of another account is not found", async () => {
  const { body } = await create(whole);
  const { key } = stranger;
  assert.equal((await app.call("GET", `${path}/${body.id}`, { key })).status, 404);
  assert.equal((await app.call("DELETE", `${path}/${body.id}`, { key })).status, 404);
  assert.deepEqual((await app.call("GET", path, { key })).body, []);
  assert.equal((await app.call("GET", `${path}/${body.id}`)).status, 200);
  assert.equal((await app.call("GET", `${path}/not-an-id`)).status, 400);
});

test("an exact host precedes a wildcard, and a newer certificate an older one", () => {
  const records = [
    ["*.example.com", 9],
    ["api.example.com", 1],
    ["api.example.com", 2],
    ["other.example.com", 8],
  ].map(([host, day]) => ({ host, id: `${host} ${day}`, createdAt: new Date(Number(day)) }));
  const choose = (host: string) =>
    chooseCertificate(records as unknown as ClientCertificateRecord[], host)?.id;
  assert.equal(choose("api.example.com"), "api.example.com 2");
  assert.equal(choose("www.example.com"), "*.example.com 9");
  assert.equal(choose("example.com"), undefined);
});

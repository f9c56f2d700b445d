import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  createAlertMessage,
  createHostileMessage,
  createLongMessage,
  createSendTools,
} from "../../../../test/support/modules/alert-message.ts";
import { smtpError, startMailReceiver } from "../../../../test/support/servers/mail-receiver.ts";
import { createMailer } from "../../../platform/mail.ts";
import { emailKind } from "./email.ts";

const config = { address: "owner@example.com" };
const message = createAlertMessage();

async function start(t: TestContext, options: Parameters<typeof startMailReceiver>[1] = {}) {
  const receiver = await startMailReceiver(t, options);
  const mailer = createMailer({ url: receiver.url, from: "alerts@vedette.example" });
  t.after(() => mailer.close());
  return { receiver, tools: createSendTools({ mailer }) };
}

/** Decodes the quoted-printable parts of a mail. */
function readParts(raw: string): string {
  return raw
    .replaceAll("=\r\n", "")
    .replaceAll(/(?:=[0-9A-F]{2})+/g, (hex) =>
      Buffer.from(hex.replaceAll("=", ""), "hex").toString("utf8"),
    );
}

test("an alert arrives as a mail with text, HTML and links", async (t) => {
  const { receiver, tools } = await start(t);
  assert.deepEqual(await emailKind.send(message, config, tools), {
    kind: "sent",
    statusCode: null,
  });
  const [mail] = receiver.mails;
  const text = readParts(mail?.raw ?? "");
  assert.deepEqual(mail?.to, ["owner@example.com"]);
  assert.match(text, /^Subject: Web is down\r$/m);
  assert.match(text, /^Auto-Submitted: auto-generated\r$/m);
  assert.match(text, /^Packet loss: 80 %/m);
  assert.match(text, /^Acknowledge: https:\/\/vedette\.example\/acknowledge\/abc\r$/m);
  assert.match(text, /class="button".*?href="https:\/\/vedette\.example\/acknowledge\/abc"/);
});

test("a repeat has the same Message-ID, and another alert has a different one", async (t) => {
  const { receiver, tools } = await start(t);
  await emailKind.send(message, config, tools);
  await emailKind.send(message, config, tools);
  await emailKind.send({ ...message, idempotencyKey: "other" }, config, tools);
  const ids = receiver.mails.map(({ raw }) => /^Message-ID: (.*)$/im.exec(raw)?.[1]);
  assert.equal(ids[0], ids[1]);
  assert.notEqual(ids[0], ids[2]);
});

test("a hostile name opens no tag and writes no header", async (t) => {
  const { receiver, tools } = await start(t);
  await emailKind.send(createHostileMessage(), config, tools);
  const [mail] = receiver.mails;
  const [head = "", ...body] = (mail?.raw ?? "").split("\r\n\r\n");
  assert.doesNotMatch(head, /^bcc:/im);
  const html = readParts(body.join("\r\n\r\n")).split("<!doctype html>")[1] ?? "";
  assert.ok(html.includes("&lt;script&gt;"));
  assert.doesNotMatch(html, /<script|<\/td><script|<!channel/);
});

test("the longest alert is a mail of bounded size", async (t) => {
  const { receiver, tools } = await start(t);
  await emailKind.send(createLongMessage(), config, tools);
  assert.ok((receiver.mails[0]?.raw.length ?? 0) < 60_000);
});

test("a rejected mailbox is a permanent failure, a busy server is not", async (t) => {
  for (const [code, isPermanent] of [
    [550, true],
    [421, false],
  ] as const) {
    const { tools } = await start(t, {
      onRcptTo: (_address, _session, done) => done(smtpError(code)),
    });
    const outcome = await emailKind.send(message, config, tools);
    assert.ok(outcome.kind === "failed");
    assert.equal(outcome.isPermanent, isPermanent);
    assert.equal(outcome.statusCode, code);
  }
});

test("without an SMTP server a mail stays pending", async () => {
  const outcome = await emailKind.send(message, config, createSendTools());
  assert.ok(outcome.kind === "failed" && !outcome.isPermanent);
  assert.equal(outcome.reason, "No SMTP server is configured.");
});

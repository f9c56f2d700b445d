import assert from "node:assert/strict";
import net, { type AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import type { SMTPServerOptions } from "smtp-server";
import { smtpError, startMailReceiver } from "../../test/support/servers/mail-receiver.ts";
import { waitUntil } from "../../test/support/time/wait-until.ts";
import {
  createMailer,
  createMessageId,
  type Mail,
  type Mailer,
  type MailerOptions,
} from "./mail.ts";
import { MailText } from "./text/mail-text.ts";

const mail: Mail = {
  to: "owner@example.com",
  content: new MailText({
    subject: "Grüße: Web is down",
    text: "It is down.\n.\nStill down.",
    html: "<p>It is down.</p>",
  }),
  headers: { "X-Key": "value" },
  messageId: "delivery-1",
};

function startMailer(t: TestContext, options: Partial<MailerOptions> & { url: string }): Mailer {
  const mailer = createMailer({ from: "Vedette <alerts@vedette.example>", ...options });
  t.after(() => mailer.close());
  return mailer;
}

function headersOf(raw: string): string[] {
  const [head = ""] = raw.split("\r\n\r\n");
  return head.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n");
}

async function startSocketServer(
  t: TestContext,
  serve: (socket: net.Socket) => void,
): Promise<string> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a mail arrives complete, with the same Message-ID in every attempt", async (t) => {
  const receiver = await startMailReceiver(t);
  const mailer = startMailer(t, { url: receiver.url });
  assert.deepEqual(await mailer.send(mail), { kind: "sent" });
  assert.deepEqual(await mailer.send(mail), { kind: "sent" });
  await mailer.send({ ...mail, messageId: "delivery-2" });
  const ids = receiver.mails.map(({ raw }) => /^Message-ID: (.*)$/im.exec(raw)?.[1]?.trim());
  assert.equal(ids[0], createMessageId("delivery-1", "alerts@vedette.example"));
  assert.match(ids[0] ?? "", /^<[0-9a-f]{40}@vedette\.example>$/);
  assert.equal(ids[1], ids[0]);
  assert.notEqual(ids[2], ids[0]);
  const [first] = receiver.mails;
  assert.equal(first?.from, "alerts@vedette.example");
  assert.deepEqual(first?.to, ["owner@example.com"]);
  assert.ok(headersOf(first?.raw ?? "").includes("X-Key: value"));
  assert.ok(first?.raw.includes("text/plain") && first.raw.includes("text/html"));
  assert.ok(first?.raw.includes("Still down."));
});

test("a line break in a subject or header does not inject a header", async (t) => {
  const receiver = await startMailReceiver(t);
  const mailer = startMailer(t, { url: receiver.url });
  for (const lineEnd of ["\r\n", "\n", "\r", "\u0000\r\n", "\u2028", "\u0085"]) {
    const hostile = `x${lineEnd}Bcc: victim@example.com${lineEnd}${lineEnd}body`;
    await mailer.send({
      ...mail,
      content: new MailText({ subject: hostile, text: "x", html: "x" }),
      headers: { "X-Name": hostile, "X-A\r\nBcc": "victim@example.com", "X B": "y" },
    });
  }
  assert.equal(receiver.mails.length, 6);
  for (const { raw, to } of receiver.mails) {
    const headers = headersOf(raw);
    assert.deepEqual(to, ["owner@example.com"]);
    assert.equal(headers.filter((line) => /^(bcc|x-a|x b)\b/i.test(line)).length, 0, raw);
    assert.equal(headers.filter((line) => /^subject:/i.test(line)).length, 1);
  }
});

test("an address is exactly one recipient, or is rejected", async (t) => {
  const receiver = await startMailReceiver(t);
  const mailer = startMailer(t, { url: receiver.url });
  const hostile = ["a@b.example, c@d.example", "A <a@b.example>", "a@b.example\r\nRCPT TO:<c@d>"];
  for (const to of [...hostile, "", "a", "a@", "@b", "a@b@c", "a b@c", 'x"@y', "group:a@b;"]) {
    const outcome = await mailer.send({ ...mail, to });
    assert.ok(outcome.kind === "failed" && outcome.isPermanent, to);
  }
  assert.equal(receiver.mails.length, 0);
});

test("550 is permanent, 421 and 451 are not", async (t) => {
  for (const [code, isPermanent] of [
    [550, true],
    [553, true],
    [421, false],
    [451, false],
  ] as const) {
    const receiver = await startMailReceiver(t, {
      onRcptTo: (_address, _session, done) => done(smtpError(code)),
    });
    const outcome = await startMailer(t, { url: receiver.url }).send(mail);
    assert.ok(outcome.kind === "failed");
    assert.equal(outcome.code, code);
    assert.equal(outcome.isPermanent, isPermanent, String(code));
    assert.equal(outcome.reason, `The mail server responded with ${code}.`);
  }
});

test("a mail rejected after its last line was not sent", async (t) => {
  const receiver = await startMailReceiver(t, {
    onData: (stream, _session, done) => {
      stream.on("end", () => done(smtpError(554)));
      stream.resume();
    },
  });
  const outcome = await startMailer(t, { url: receiver.url }).send(mail);
  assert.ok(outcome.kind === "failed" && outcome.isPermanent && outcome.code === 554);
});

test("rejected credentials are a transient failure, because the operator can fix them", async (t) => {
  const receiver = await startMailReceiver(t, {
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => done(smtpError(535)),
  });
  const url = receiver.url.replace("//", "//user:p4ss-canary@");
  const outcome = await startMailer(t, { url }).send(mail);
  assert.ok(outcome.kind === "failed" && !outcome.isPermanent && outcome.code === 535);
  assert.equal(JSON.stringify(outcome).includes("canary"), false);
});

test("a server that is down, silent, broken or slow fails the mail in time", async (t) => {
  const silent = await startSocketServer(t, () => {});
  const broken = await startSocketServer(t, (socket) => socket.destroy());
  const trickling = await startSocketServer(t, (socket) => {
    const timer = setInterval(() => socket.write("2"), 5);
    socket.on("close", () => clearInterval(timer));
  });
  const stuck = await startMailReceiver(t, { onRcptTo: () => {} });
  for (const url of [silent, broken, trickling, stuck.url, "smtp://127.0.0.1:1"]) {
    const mailer = startMailer(t, { url, timeoutMs: 150 });
    const outcome = await mailer.send(mail);
    assert.ok(outcome.kind === "failed" && !outcome.isPermanent, url);
    assert.equal(outcome.code, null);
  }
});

test("a mail that timed out waiting for a connection is never sent", async (t) => {
  let isOpen = false;
  const receiver = await startMailReceiver(t, {
    onRcptTo: (_address, _session, done) => {
      if (isOpen) done();
    },
  });
  const mailer = startMailer(t, { url: receiver.url, timeoutMs: 1_000, maxConnections: 1 });
  const outcomes = await Promise.all(
    [1, 2, 3].map((key) => mailer.send({ ...mail, to: "late@example.com", messageId: `${key}` })),
  );
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ["failed", "failed", "failed"],
  );
  isOpen = true;
  // On a busy machine, a mail may time out although the server responds.
  await waitUntil("a mail is sent", async () => (await mailer.send(mail)).kind === "sent");
  assert.ok(receiver.mails.every(({ to }) => to[0] === mail.to));
});

test("many mails share a few connections", async (t) => {
  let connectionCount = 0;
  const receiver = await startMailReceiver(t, {
    onConnect: (_session, done) => {
      connectionCount += 1;
      done();
    },
  });
  const mailer = startMailer(t, { url: receiver.url, maxConnections: 3 });
  const outcomes = await Promise.all(
    Array.from({ length: 40 }, (_, index) => mailer.send({ ...mail, messageId: `${index}` })),
  );
  assert.ok(outcomes.every(({ kind }) => kind === "sent"));
  assert.equal(receiver.mails.length, 40);
  assert.ok(connectionCount <= 3);
});

test("a rejection shows whether the address was rejected or is unknown", async (t) => {
  const replies = {
    "5.1.1 no such user": "unknown",
    "5.2.1 mailbox disabled": "refused",
    "not here": "refused",
    "5.7.1 relaying denied": undefined,
  } as const;
  for (const [message, recipient] of Object.entries(replies)) {
    const receiver = await startMailReceiver(t, {
      onRcptTo: (_address, _session, done) => done(Object.assign(smtpError(550), { message })),
    });
    const outcome = await startMailer(t, { url: receiver.url }).send(mail);
    assert.ok(outcome.kind === "failed" && outcome.isPermanent);
    assert.equal(outcome.recipient, recipient, message);
  }
  const atOthers: readonly SMTPServerOptions[] = [
    { onRcptTo: (_address, _session, done) => done(smtpError(450)) },
    { onMailFrom: (_address, _session, done) => done(smtpError(550)) },
    {
      onData: (stream, _session, done) =>
        void stream.resume().on("end", () => done(smtpError(554))),
    },
  ];
  for (const options of atOthers) {
    const receiver = await startMailReceiver(t, options);
    const outcome = await startMailer(t, { url: receiver.url }).send(mail);
    assert.ok(outcome.kind === "failed" && outcome.recipient === undefined);
  }
});

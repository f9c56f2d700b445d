import type { SMTPServerOptions } from "smtp-server";
import { createOutbound, type Outbound } from "../../../src/platform/outbound.ts";
import { type Answer, startTestApp, type TestApp } from "../apps/app.ts";
import { type HttpReceiver, startHttpReceiver } from "../servers/http-receiver.ts";
import {
  type MailReceiver,
  type ReceivedMail,
  startMailReceiver,
} from "../servers/mail-receiver.ts";
import { waitUntil } from "../time/wait-until.ts";
import { createService, createStatusPage } from "./status-pages.ts";

export interface SubscriberPage {
  readonly id: string;
  readonly url: string;
  readonly serviceIds: readonly string[];
}

/** The whole product with a real mail server and a real HTTP receiver on this machine. */
export interface SubscriberFixture {
  readonly app: TestApp;
  readonly mail: MailReceiver;
  readonly http: HttpReceiver;
  /** Returns the webhook URL of a subscriber that leads to a path of the receiver. */
  readonly hookUrl: (path: string) => string;
  readonly stop: () => Promise<void>;
}

const form = { "content-type": "application/x-www-form-urlencoded" };

/**
 * Returns the product's outbound guard with two exceptions: names that end in `.test` resolve to
 * this machine, and messages for Slack go to the receiver.
 */
export function createTestOutbound(receiver: HttpReceiver): Outbound {
  const guarded = createOutbound({
    allowPrivate: false,
    allowedAddresses: ["127.0.0.1"],
    resolve: async (host) => (host.endsWith(".test") ? ["127.0.0.1"] : ["192.0.2.1"]),
  });
  const slack = "https://hooks.slack.com/";
  return {
    request: (input) =>
      guarded.request({ ...input, url: input.url.replace(slack, `${receiver.url}/slack/`) }),
  };
}

export async function startSubscriberFixture(
  options: SMTPServerOptions = {},
): Promise<SubscriberFixture> {
  const ends: (() => unknown)[] = [];
  const t = { after: (end: unknown) => void ends.unshift(end as () => unknown) };
  const mail = await startMailReceiver(t, options);
  const http = await startHttpReceiver(t);
  const app = await startTestApp(
    { BUILT_IN_PROBE: "false", SMTP_URL: mail.url },
    { subscriberOutbound: createTestOutbound(http) },
  );
  return {
    app,
    mail,
    http,
    hookUrl: (path) => `http://hooks.test:${http.port}${path}`,
    stop: async () => {
      await app.stop();
      for (const end of ends) await end();
    },
  };
}

export async function addPage(
  app: TestApp,
  more: Readonly<Record<string, unknown>> = {},
): Promise<SubscriberPage> {
  const serviceIds = [await createService(app, "Checkout"), await createService(app, "Search")];
  const services = serviceIds.map((id) => ({ id }));
  const cards = [{ name: "Shop", services }];
  const page = await createStatusPage(app, { cards, ...more });
  return { id: page.id, url: page.url, serviceIds };
}

export function postForm(
  app: TestApp,
  path: string,
  fields: readonly (readonly [string, string])[] = [],
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const rawBody = new URLSearchParams(fields.map(([name, value]) => [name, value])).toString();
  return app.call("POST", path, { key: null, headers: { ...form, ...headers }, rawBody });
}

/** Submits the subscription form. The clock advances first, so that rate limits do not apply. */
export function signUp(
  app: TestApp,
  page: SubscriberPage,
  input: {
    readonly type?: string;
    readonly address: string;
    readonly services?: readonly string[];
  },
): Promise<Answer> {
  app.clock.advance(3_600_000);
  const { type = "EMAIL", address, services = [] } = input;
  const chosen = services.map((id) => ["service", id] as const);
  return postForm(app, `/status/${page.url}/subscribe`, [
    ["type", type],
    ["address", address],
    ...chosen,
  ]);
}

function decodeQuoted(text: string): string {
  const joined = text.replaceAll(/=\r?\n/g, "");
  const bytes = joined.replaceAll(/=([0-9A-F]{2})/g, (_all, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, "latin1").toString("utf8");
}

export interface ReadMail {
  readonly headers: ReadonlyMap<string, string>;
  readonly subject: string;
  /** Text part and HTML part of the mail, decoded. */
  readonly body: string;
}

/** Parses a mail into the content that its recipient sees. */
export function readMail({ raw }: ReceivedMail): ReadMail {
  const end = raw.indexOf("\r\n\r\n");
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const words = (headers.get("subject") ?? "").replaceAll(/\?= =\?/g, "?==?");
  const subject = words.replaceAll(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_all, kind, text) =>
    kind.toUpperCase() === "B"
      ? Buffer.from(text, "base64").toString("utf8")
      : decodeQuoted(text.replaceAll("_", " ")),
  );
  return { headers, subject, body: decodeQuoted(raw.slice(end)) };
}

export function findMails(mail: MailReceiver, address: string): ReadMail[] {
  return mail.mails.filter(({ to }) => to.includes(address)).map(readMail);
}

/** Waits until an address has received a number of mails, and returns the last mail. */
export async function waitForMail(
  mail: MailReceiver,
  address: string,
  count = 1,
): Promise<ReadMail> {
  await waitUntil(`${count} mails for ${address}`, () => findMails(mail, address).length >= count);
  const last = findMails(mail, address)[count - 1];
  if (last === undefined) throw new Error("unreachable: the mail was counted");
  return last;
}

/** Returns the path of the link for a purpose in a mail, without the host. */
export function findLink({ body }: { readonly body: string }, purpose: string): string {
  const found = new RegExp(`https?://[^/\\s"]+(/[^\\s"<>|]*${purpose}/[\\w-]+)`).exec(body)?.[1];
  if (found === undefined) throw new Error(`there is no link to ${purpose} in ${body}`);
  return found;
}

/** Adds a subscriber who signs up through the form and confirms the link in the mail. */
export async function addSubscriber(
  fixture: SubscriberFixture,
  page: SubscriberPage,
  input: { readonly address: string; readonly services?: readonly string[] },
): Promise<void> {
  const { app, mail } = fixture;
  const before = findMails(mail, input.address).length;
  await signUp(app, page, input);
  const confirmation = await waitForMail(mail, input.address, before + 1);
  await postForm(app, findLink(confirmation, "confirm"));
}

export async function findStatus(app: TestApp, address: string): Promise<string | null> {
  const { rows } = await app.query("select status from subscribers where address = $1", [address]);
  return rows[0]?.status ?? null;
}

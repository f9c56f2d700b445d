/** Sends mail through one SMTP server. A failure is returned as a result and not thrown. */
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import type { MailText } from "./text/mail-text.ts";

const defaultTimeoutMs = 30_000;
const defaultConnections = 5;

export interface Mail {
  readonly to: string;
  readonly content: MailText;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Text that is the same in every attempt to send one mail. The Message-ID header is derived from
   * this text, so that a mailbox can detect duplicates.
   */
  readonly messageId: string;
}

type MailOutcome =
  | { readonly kind: "sent" }
  | {
      readonly kind: "failed";
      /** Whether the server would reject the mail again, so that a retry is pointless. */
      readonly isPermanent: boolean;
      /** SMTP status of the response; `null` if the server sent no response. */
      readonly code: number | null;
      /** One sentence for a delivery log; never contains the text of a response or a setting. */
      readonly reason: string;
      /** Present if the server rejects mail for this address, or does not know the address. */
      readonly recipient?: "refused" | "unknown";
    };

export interface Mailer {
  readonly send: (mail: Mail) => Promise<MailOutcome>;
  readonly close: () => void;
}

export interface MailerOptions {
  /** `smtp://user:password@host:port` or `smtps://…`; query parameters are nodemailer options. */
  readonly url: string;
  readonly from: string;
  /** Timeout for one mail. It includes the wait for a free connection. */
  readonly timeoutMs?: number;
  readonly maxConnections?: number;
}

export function createMailer(options: MailerOptions): Mailer {
  const { from, timeoutMs = defaultTimeoutMs, maxConnections = defaultConnections } = options;
  const slots = createSlots(maxConnections);
  let pool = createPool(options);
  /**
   * Replaces the pool of a mail that has timed out, because a server that responds byte by byte
   * could block a connection of the pool forever.
   */
  const abandon = (stuck: Pool): MailOutcome => {
    if (pool === stuck) pool = createPool(options);
    stuck.close({ force: true });
    return timedOut();
  };
  return {
    send: async (mail) => {
      const to = parseAddress(mail.to);
      if (to === null) return failed(null, "The address cannot receive mail.", true);
      const deadline = startDeadline(timeoutMs);
      try {
        if (!(await slots.take(deadline.passed))) return timedOut();
        const used = pool;
        const sending = used
          .sendMail(composeMail(mail, to, from))
          .then((): MailOutcome => ({ kind: "sent" }), describeFailure)
          .finally(slots.release);
        return await Promise.race([sending, deadline.passed.then(() => abandon(used))]);
      } finally {
        deadline.cancel();
      }
    },
    close: () => pool.close({ force: true }),
  };
}

type Pool = ReturnType<typeof createPool>;

/** Loads nodemailer on first use. `node-modules.ts` explains why `import` is avoided. */
const loadNodemailer = (): typeof import("nodemailer") =>
  createRequire(import.meta.url)("nodemailer");

function createPool({ url, timeoutMs = defaultTimeoutMs, maxConnections }: MailerOptions) {
  const stepTimeoutMs = Math.ceil(timeoutMs / 2);
  const pool = loadNodemailer().createTransport({
    url,
    pool: true,
    maxConnections: maxConnections ?? defaultConnections,
    // The pool must not retry, because the caller retries. Retries by both would multiply the
    // mails.
    maxRequeues: 0,
    idleTimeout: 30_000,
    connectionTimeout: stepTimeoutMs,
    greetingTimeout: stepTimeoutMs,
    socketTimeout: stepTimeoutMs,
    dnsTimeout: stepTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // Callers receive each failure as a result. Without a listener, an error event would be thrown.
  pool.on("error", () => {});
  return pool;
}

/** Returns the address if the text is exactly one mailbox without display name, or `null`. */
function parseAddress(text: string): string | null {
  const isPlain = /^[^\s@<>"(),:;\\[\]]{1,64}@[^\s@<>"(),:;\\[\]]{1,189}$/.test(text);
  return isPlain && !/\p{Cc}/u.test(text) ? text : null;
}

function composeMail(mail: Mail, to: string, from: string) {
  return {
    from: clean(from),
    to: { name: "", address: to },
    subject: clean(mail.content.subject),
    text: mail.content.text.toWellFormed(),
    html: mail.content.html.toWellFormed(),
    headers: cleanHeaders(mail.headers ?? {}),
    messageId: createMessageId(mail.messageId, from),
  };
}

/** Replaces line breaks and control characters by spaces, because a header must be one line. */
function clean(text: string): string {
  return text.toWellFormed().replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ");
}

function cleanHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const isName = (name: string) => /^[A-Za-z][A-Za-z0-9-]{0,76}$/.test(name);
  const kept = Object.entries(headers).filter(([name]) => isName(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, clean(value)]));
}

export function createMessageId(key: string, from: string): string {
  const local = createHash("sha256").update(key).digest("hex").slice(0, 40);
  const domain = /@([A-Za-z0-9.-]{1,189})>?\s*$/.exec(from)?.[1] ?? "localhost";
  return `<${local}@${domain}>`;
}

type MailFailure = Extract<MailOutcome, { kind: "failed" }>;

function failed(code: number | null, reason: string, isPermanent: boolean): MailFailure {
  return { kind: "failed", isPermanent, code, reason };
}

function timedOut(): MailOutcome {
  return failed(null, "The mail server did not respond in time.", false);
}

const reasons: Readonly<Record<string, string>> = {
  EAUTH: "The mail server rejected the configured credentials.",
  ENOAUTH: "The mail server requires credentials, and none are configured.",
  ECONNECTION: "The connection to the mail server was lost.",
  ESOCKET: "The connection to the mail server failed.",
  EDNS: "The name of the mail server could not be resolved.",
  ETLS: "The TLS connection to the mail server failed.",
  ETIMEDOUT: "The mail server did not respond in time.",
};

/**
 * Error codes of a wrong configuration or a failed connection. A later attempt may succeed, so such
 * a failure is never permanent.
 */
const ownFaults = new Set(["EAUTH", "ENOAUTH", "ECONNECTION", "ESOCKET", "EDNS", "ETLS"]);

interface SmtpError {
  readonly code?: unknown;
  readonly command?: unknown;
  readonly response?: unknown;
  readonly responseCode?: unknown;
}

function describeFailure(error: SmtpError): MailOutcome {
  const name = typeof error.code === "string" ? error.code : "";
  const code = typeof error.responseCode === "number" ? error.responseCode : null;
  // Status 503 reports an error of the protocol between server and client, and not of the mail.
  const isRejection = code !== null && code >= 500 && code <= 599 && code !== 503;
  const isPermanent =
    (isRejection || (name === "EENVELOPE" && code === null)) && !ownFaults.has(name);
  const isLogin = name === "EAUTH" || name === "ENOAUTH";
  const known = code === null || isLogin ? reasons[name] : undefined;
  const fallback =
    code === null ? "The mail could not be sent." : `The mail server responded with ${code}.`;
  const recipient = isPermanent ? judgeRecipient(error) : null;
  const outcome = failed(code, known ?? fallback, isPermanent);
  return recipient === null ? outcome : { ...outcome, recipient };
}

/**
 * Returns why the mail server rejects the recipient: `unknown` if the address does not exist, and
 * `refused` for other reasons. Returns `null` if the error does not concern the recipient. This
 * includes policy rejections (5.7), which concern the sender and would apply to any recipient.
 */
function judgeRecipient({ command, response }: SmtpError): "refused" | "unknown" | null {
  const text = typeof response === "string" ? response : "";
  const [, detail] = /^5\d\d[ -](5\.\d{1,3}\.\d{1,3})\b/.exec(text) ?? [];
  if (command !== "RCPT TO" || detail?.startsWith("5.7.")) return null;
  return detail === "5.1.1" ? "unknown" : "refused";
}

interface Deadline {
  readonly passed: Promise<void>;
  readonly cancel: () => void;
}

function startDeadline(timeoutMs: number): Deadline {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeoutMs);
  return { passed: promise, cancel: () => clearTimeout(timer) };
}

/**
 * Limits the number of concurrent mails to the number of connections. The queue of the pool is not
 * used: a queued mail cannot be withdrawn, and would be sent although its sender has timed out and
 * retries.
 */
function createSlots(count: number) {
  let free = count;
  const waiting = new Set<(isMine: boolean) => void>();
  const release = () => {
    const [next] = waiting;
    if (next === undefined) free += 1;
    else {
      waiting.delete(next);
      next(true);
    }
  };
  const take = async (passed: Promise<void>): Promise<boolean> => {
    if (free > 0) {
      free -= 1;
      return true;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    waiting.add(resolve);
    // At the timeout, reject only a caller that has not received a slot yet.
    passed.then(() => waiting.delete(resolve) && resolve(false));
    return promise;
  };
  return { take, release };
}

/** Connects and signs in without sending mail. Returns the problem, or `null` if there is none. */
export async function checkMailServer(url: string, timeoutMs: number): Promise<string | null> {
  const transport = loadNodemailer().createTransport({
    url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  });
  try {
    await transport.verify();
    return null;
  } catch (error) {
    const { code, responseCode } = error as { code?: string; responseCode?: number };
    // The server's response is never included, because it may contain the user name.
    if (code === "EAUTH") return "it rejected the user or the password.";
    if (code === "ETIMEDOUT") return "it did not respond in time.";
    if (responseCode !== undefined) return `it responded with ${responseCode}.`;
    return `it is unreachable (${code ?? "no reason given"}).`;
  } finally {
    transport.close();
  }
}

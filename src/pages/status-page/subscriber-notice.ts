import { clipText } from "../../platform/text/clip.ts";
import type { MailText } from "../../platform/text/mail-text.ts";
import { formatDateTime, html } from "../html.ts";
import { type MailLink, type MailPart, type MailTone, renderMail } from "../mails/layout.ts";
import { renderMarkdown, renderMarkdownAsText } from "../markdown.ts";

/** A notification for the subscribers of a status page. */
export interface SubscriberNotice {
  readonly pageName: string;
  readonly kind: "incident" | "maintenance";
  readonly title: string;
  /** Status as text, such as "In progress". */
  readonly status: string;
  readonly severity: string | null;
  readonly body: string;
  readonly services: readonly string[];
  readonly at: Date;
  /** URL of the incident, or of the status page if there is no incident. */
  readonly url: string;
}

export interface SubscriberLinks {
  readonly manageUrl: string;
  readonly unsubscribeUrl: string;
}

/** Formats a status such as `IN_PROGRESS` as "In progress". */
export function spellStatus(status: string): string {
  const words = status.toLowerCase().replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function listFacts(notice: SubscriberNotice): readonly (readonly [string, string])[] {
  const { severity, services, at } = notice;
  return [
    ...(severity === null ? [] : [["Severity", spellStatus(severity)] as const]),
    ...(services.length === 0 ? [] : [["Affects", services.join(", ")] as const]),
    ["Posted", formatDateTime(at)],
  ];
}

function findTone({ kind, status, severity }: SubscriberNotice): MailTone {
  if (kind === "maintenance") return "maintenance";
  if (status === "Resolved") return "good";
  return severity === "CRITICAL" || severity === "MAJOR" ? "bad" : "fair";
}

/** Maximum length of the HTML, because mail programs truncate mails above about 100 kB. */
const maxMarkupLength = 60_000;
const maxClippedLength = 9_000;

/** Renders Markdown. If the resulting HTML is too long, shows truncated plain text instead. */
function renderBody(source: string): MailPart {
  const markup = renderMarkdown(source);
  const text = renderMarkdownAsText(source);
  if (markup.text.length <= maxMarkupLength) return { kind: "formatted", markup, text };
  const clipped = clipText(text, maxClippedLength);
  const lines = clipped.split("\n").map((one) => html`${one}<br>`);
  return { kind: "formatted", markup: html`<p>${lines}</p>`, text: clipped };
}

export function renderNoticeMail(notice: SubscriberNotice, links: SubscriberLinks): MailText {
  const { pageName, kind, title, status, body, url } = notice;
  const target = kind === "incident" ? "incident" : "status page";
  return renderMail({
    sender: pageName,
    subject: `[${pageName}] ${title} – ${status}`,
    title,
    preview: renderMarkdownAsText(body) || status,
    state: { tone: findTone(notice), words: status },
    parts: [{ kind: "facts", facts: listFacts(notice) }, renderBody(body)],
    action: { words: `Open the ${target}`, url },
    footer: {
      words: `You receive this mail because you subscribed to updates of ${pageName}.`,
      links: listFooterLinks(links),
    },
  });
}

function listFooterLinks({ manageUrl, unsubscribeUrl }: SubscriberLinks): readonly MailLink[] {
  return [
    { words: "Choose services", url: manageUrl },
    { words: "Unsubscribe", url: unsubscribeUrl },
  ];
}

/** Renders the mail that asks a new subscriber to confirm the subscription. */
export function renderConfirmMail(
  pageName: string,
  confirmUrl: string,
  unsubscribeUrl: string,
): MailText {
  const why = "A subscription to updates was requested for this address.";
  return renderMail({
    sender: pageName,
    subject: `[${pageName}] Confirm your subscription`,
    title: `Confirm your subscription to ${pageName}`,
    preview: why,
    parts: [
      { kind: "text", words: why },
      { kind: "text", words: "The link is valid for two days." },
    ],
    action: { words: "Confirm", url: confirmUrl },
    footer: {
      words:
        "If you did not request this, ignore this mail: without confirmation no updates are sent.",
      links: [{ words: "Remove the address now", url: unsubscribeUrl }],
    },
  });
}

/**
 * Renders the mail for an address that was entered again although it is already subscribed. Only
 * the mail reveals the subscription. The web page must not.
 */
export function renderReminderMail(pageName: string, links: SubscriberLinks): MailText {
  const why = "A subscription to updates was requested again for this address.";
  return renderMail({
    sender: pageName,
    subject: `[${pageName}] You are subscribed already`,
    title: `You are subscribed to ${pageName} already`,
    preview: why,
    parts: [{ kind: "text", words: `${why} Nothing has changed.` }],
    action: { words: "Choose services", url: links.manageUrl },
    footer: {
      words: "If you did not request this, ignore this mail.",
      links: [{ words: "Unsubscribe", url: links.unsubscribeUrl }],
    },
  });
}

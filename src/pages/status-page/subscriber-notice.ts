import { html } from "../html.ts";
import { type MailText, renderMailButton, renderMailFrame } from "../mail-frame.ts";
import { renderMarkdown, renderMarkdownAsText } from "../markdown.ts";
import { colors } from "../tokens.ts";
import { formatMoment } from "./time.ts";

const { light } = colors;

/** An announcement for the subscribers of one page. */
export interface SubscriberNotice {
  readonly pageName: string;
  readonly kind: "incident" | "maintenance";
  readonly title: string;
  /** In words, such as "In progress". */
  readonly status: string;
  readonly severity: string | null;
  /** Markdown. */
  readonly body: string;
  readonly services: readonly string[];
  readonly at: Date;
  /** The incident, or the page. */
  readonly url: string;
}

export interface SubscriberLinks {
  readonly manageUrl: string;
  readonly unsubscribeUrl: string;
}

/** `IN_PROGRESS` becomes "In progress". */
export function spellStatus(status: string): string {
  const words = status.toLowerCase().replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function listFacts(notice: SubscriberNotice): readonly (readonly [string, string])[] {
  const { status, severity, services, at } = notice;
  return [
    ["Status", status],
    ...(severity === null ? [] : [["Severity", spellStatus(severity)] as const]),
    ...(services.length === 0 ? [] : [["Affects", services.join(", ")] as const]),
    ["Posted", formatMoment(at)],
  ];
}

/** The same content as text and as HTML. */
export function renderNoticeMail(notice: SubscriberNotice, links: SubscriberLinks): MailText {
  const { pageName, title, status, body, url } = notice;
  const facts = listFacts(notice);
  const why = `You get this mail because you subscribed to updates of ${pageName}.`;
  const text = [
    title,
    facts.map(([label, value]) => `${label}: ${value}`).join("\n"),
    renderMarkdownAsText(body),
    `Read on: ${url}`,
    `-- \n${why}\nChoose services: ${links.manageUrl}\nUnsubscribe: ${links.unsubscribeUrl}`,
  ];
  const markup = renderMailFrame(
    title,
    html`<p style="margin:0 0 16px;color:${light.muted}">${facts.map(
      ([label, value], index) => html`${index > 0 && html`<br>`}${label}: <b>${value}</b>`,
    )}</p>
<div>${renderMarkdown(body)}</div>
<p style="margin:16px 0 0"><a href="${url}">Read more at ${pageName}</a></p>`,
    html`${why}<br><a href="${links.manageUrl}">Choose services</a> · <a href="${links.unsubscribeUrl}">Unsubscribe</a>`,
  );
  const subject = `[${pageName}] ${title} – ${status}`;
  return { subject, text: `${text.join("\n\n")}\n`, html: markup };
}

/** Asks to confirm the subscription. */
export function renderConfirmMail(
  pageName: string,
  confirmUrl: string,
  unsubscribeUrl: string,
): MailText {
  const title = `Confirm your subscription to ${pageName}`;
  const why = "Somebody, most likely you, asked for updates to this address.";
  const ignore = "If it was not you, do nothing: without your confirmation we send no updates.";
  return {
    subject: `[${pageName}] Confirm your subscription`,
    text: `${title}\n\n${why}\nConfirm within two days: ${confirmUrl}\n\n${ignore}\nOr have the address removed now: ${unsubscribeUrl}\n`,
    html: renderMailFrame(
      title,
      html`<p>${why}</p><p>${renderMailButton(confirmUrl, "Confirm")}</p><p>The link is valid for two days.</p>`,
      html`${ignore} <a href="${unsubscribeUrl}">Remove the address now</a>`,
    ),
  };
}

/** For an address that is subscribed already; the web page does not say so. */
export function renderReminderMail(pageName: string, links: SubscriberLinks): MailText {
  const title = `You are subscribed to ${pageName} already`;
  const why = "Somebody, most likely you, asked for updates to this address once more.";
  return {
    subject: `[${pageName}] You are subscribed already`,
    text: `${title}\n\n${why}\nNothing has changed.\nChoose services: ${links.manageUrl}\nUnsubscribe: ${links.unsubscribeUrl}\n`,
    html: renderMailFrame(
      title,
      html`<p>${why} Nothing has changed.</p><p><a href="${links.manageUrl}">Choose services</a></p>`,
      html`<a href="${links.unsubscribeUrl}">Unsubscribe</a>`,
    ),
  };
}

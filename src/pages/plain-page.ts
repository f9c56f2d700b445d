import { formatDateTime, html, type Markup } from "./html.ts";

export const plainStylesheetPath = "/plain.css";

/** Renders a page with one box in the middle of the screen, for a single message or form. */
export function renderPlainPage(title: string, body: Markup): Markup {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title>
<link rel="stylesheet" href="${plainStylesheetPath}"></head>
<body><main><h1>${title}</h1>${body}</main></body></html>`;
}

/** Renders the page that asks for confirmation before an alert is acknowledged. */
export function renderAcknowledgePage(about: {
  readonly checkName: string;
  readonly isOpen: boolean;
  /** Why the alert, or most of its group, was sent; empty if that is no longer stored. */
  readonly reason: string;
  readonly openedAt: Date | null;
  /** Path of the alert in the application. */
  readonly alertPath: string;
  /** Whether the link is about all alerts of a message. */
  readonly isGroup?: boolean;
}): Markup {
  const { isGroup = false, reason, openedAt } = about;
  if (!about.isOpen) {
    const what = isGroup ? "These alerts have ended or were" : "This alert has ended or was";
    const text = `${what} already acknowledged.`;
    return renderPlainPage(
      about.checkName,
      html`<p>${text}</p>${linkTo(about.alertPath, isGroup)}`,
    );
  }
  const button = isGroup ? "Acknowledge all" : "Acknowledge";
  const ended = isGroup ? "they have ended" : "it has ended";
  return renderPlainPage(
    `Acknowledge the ${isGroup ? "alerts" : "alert"} of ${about.checkName}?`,
    html`${reason !== "" && html`<p><strong>${reason}</strong></p>`}
${openedAt && html`<p class="muted">Since ${formatDateTime(openedAt)}</p>`}
<p>No reminders or escalations are sent until ${ended}.</p>
<form method="post"><button type="submit">${button}</button></form>
${linkTo(about.alertPath, isGroup)}`,
  );
}

export function renderAcknowledged(done: {
  readonly checkName: string;
  readonly alertPath: string;
  readonly isGroup?: boolean;
}): Markup {
  const ended = done.isGroup ? "they have ended" : "it has ended";
  return renderPlainPage(
    "Acknowledged",
    html`<p>${done.checkName}: you will be notified when ${ended}.</p>${linkTo(done.alertPath, done.isGroup)}`,
  );
}

interface LinkPage {
  readonly checkName: string;
  readonly isOpen: boolean;
  readonly alertPath: string;
  readonly nextStage: { readonly number: number; readonly name: string } | null;
}

/** Renders the page that asks for confirmation before an alert is snoozed. */
export function renderSnoozePage({ checkName, isOpen, alertPath }: LinkPage): Markup {
  if (!isOpen) {
    const text = "This alert has ended or was already acknowledged.";
    return renderPlainPage(checkName, html`<p>${text}</p>${linkTo(alertPath)}`);
  }
  return renderPlainPage(
    `Snooze the alert of ${checkName}?`,
    html`<p>It sends nothing for one hour. If the problem exists then, it alerts again.</p>
<form method="post"><button type="submit">Snooze for 1 hour</button></form>
${linkTo(alertPath)}`,
  );
}

/** Renders the page that asks for confirmation before the next escalation step is sent. */
export function renderEscalatePage({ checkName, nextStage, alertPath }: LinkPage): Markup {
  if (nextStage === null) {
    const text = "This alert has ended, or its escalation has no further step.";
    return renderPlainPage(checkName, html`<p>${text}</p>${linkTo(alertPath)}`);
  }
  const { number, name } = nextStage;
  return renderPlainPage(
    `Escalate the alert of ${checkName} now?`,
    html`<p>This sends ${name} at once, and ends an acknowledgement.</p>
<form method="post" action="?stage=${number}"><button type="submit">Escalate now</button></form>
${linkTo(alertPath)}`,
  );
}

export function renderResponded(
  title: string,
  {
    checkName,
    summary,
    alertPath,
  }: {
    readonly checkName: string;
    readonly summary: string;
    readonly alertPath: string;
  },
): Markup {
  return renderPlainPage(title, html`<p>${checkName}: ${summary}</p>${linkTo(alertPath)}`);
}

/**
 * Link to the alert in the application. A signed-out user can sign in and is then taken to the
 * alert.
 */
const linkTo = (path: string, isGroup = false) =>
  html`<p><a href="${path}">Open the ${isGroup ? "alerts" : "alert"}</a></p>`;

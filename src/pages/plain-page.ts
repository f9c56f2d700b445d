import { html, type Markup } from "./html.ts";

export const plainStylesheetPath = "/plain.css";

/** Renders one box in the middle of the screen, for pages with one message or form. */
export function renderPlainPage(title: string, body: Markup): Markup {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title>
<link rel="stylesheet" href="${plainStylesheetPath}"></head>
<body><main><h1>${title}</h1>${body}</main></body></html>`;
}

/** Target of the link in an alert; asks for confirmation before it acts. */
export function renderAcknowledgePage(about: {
  readonly checkName: string;
  readonly isOpen: boolean;
  /** Path of the alert in the application. */
  readonly alertPath: string;
}): Markup {
  if (!about.isOpen) {
    const text = "This alert has ended or was already acknowledged.";
    return renderPlainPage(about.checkName, html`<p>${text}</p>${linkTo(about.alertPath)}`);
  }
  return renderPlainPage(
    `Acknowledge the alert of ${about.checkName}?`,
    html`<p>No reminders or escalations are sent until it has ended.</p>
<form method="post"><button type="submit">Acknowledge</button></form>
${linkTo(about.alertPath)}`,
  );
}

export function renderAcknowledged(done: {
  readonly checkName: string;
  readonly alertPath: string;
}): Markup {
  return renderPlainPage(
    "Acknowledged",
    html`<p>${done.checkName}: you will be notified when it has ended.</p>${linkTo(done.alertPath)}`,
  );
}

/** A signed-out user gets there after signing in. */
const linkTo = (path: string) => html`<p><a href="${path}">Open the alert</a></p>`;

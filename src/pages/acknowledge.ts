import { html, type Markup } from "./html.ts";

function frame(title: string, body: Markup): Markup {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title></head>
<body><main><h1>${title}</h1>${body}</main></body></html>`;
}

/** The link in a message leads here. It asks before it acts. */
export function renderAcknowledgePage(about: {
  readonly checkName: string;
  readonly isOpen: boolean;
}): Markup {
  if (!about.isOpen) {
    const text = "This alert is over or has been acknowledged already.";
    return frame(about.checkName, html`<p>${text}</p>`);
  }
  return frame(
    `Acknowledge the alert of ${about.checkName}?`,
    html`<p>There will be no reminders and no escalation until it is over.</p>
<form method="post"><button type="submit">Acknowledge</button></form>`,
  );
}

export function renderAcknowledged(checkName: string): Markup {
  return frame("Acknowledged", html`<p>${checkName}: you will hear when it is over.</p>`);
}

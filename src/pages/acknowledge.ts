import { html, type Markup } from "./html.ts";
import { renderPlainPage } from "./plain-page.ts";

/** The target of the link in an alert; it asks for confirmation before it acts. */
export function renderAcknowledgePage(about: {
  readonly checkName: string;
  readonly isOpen: boolean;
}): Markup {
  if (!about.isOpen) {
    const text = "This alert is over or has been acknowledged already.";
    return renderPlainPage(about.checkName, html`<p>${text}</p>`);
  }
  return renderPlainPage(
    `Acknowledge the alert of ${about.checkName}?`,
    html`<p>There will be no reminders and no escalation until it is over.</p>
<form method="post"><button type="submit">Acknowledge</button></form>`,
  );
}

export function renderAcknowledged(checkName: string): Markup {
  return renderPlainPage("Acknowledged", html`<p>${checkName}: you will hear when it is over.</p>`);
}

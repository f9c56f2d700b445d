import { html, type Markup } from "./html.ts";
import { renderPlainPage } from "./plain-page.ts";

/** The target of the link in an alert; it asks for confirmation before it acts. */
export function renderAcknowledgePage(about: {
  readonly checkName: string;
  readonly isOpen: boolean;
  /** The alert in the application. */
  readonly alertPath: string;
}): Markup {
  if (!about.isOpen) {
    const text = "This alert is over or has been acknowledged already.";
    return renderPlainPage(about.checkName, html`<p>${text}</p>${linkTo(about.alertPath)}`);
  }
  return renderPlainPage(
    `Acknowledge the alert of ${about.checkName}?`,
    html`<p>There will be no reminders and no escalation until it is over.</p>
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
    html`<p>${done.checkName}: you will hear when it is over.</p>${linkTo(done.alertPath)}`,
  );
}

/** Whoever is signed out gets there after the sign-in. */
const linkTo = (path: string) => html`<p><a href="${path}">Open the alert</a></p>`;

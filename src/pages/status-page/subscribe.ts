import { html, type Markup } from "../html.ts";
import { groupByCard, type NamedService } from "./page-view.ts";
import type { PageContent } from "./shell.ts";

const maxUnfoldedServices = 8;

/** Values that a visitor entered. If the form is rejected, it is shown again with these values. */
export interface SubscribeForm {
  readonly type: "EMAIL" | "WEBHOOK" | "SLACK";
  readonly address: string;
  readonly serviceIds: readonly string[];
}

interface SubscribeView {
  readonly action: string;
  readonly services: readonly NamedService[];
  readonly form: SubscribeForm;
  /** Whether visitors may subscribe by email. `false` if the server cannot send mail. */
  readonly offersMail: boolean;
  readonly fault: string | null;
}

interface Way {
  readonly type: SubscribeForm["type"];
  readonly name: string;
  readonly label: string;
  readonly hint: string | null;
  readonly placeholder: string;
}

const emailWay: Way = {
  type: "EMAIL",
  name: "Email",
  label: "Email address",
  hint: null,
  placeholder: "you@example.com",
};
const urlWays: readonly Way[] = [
  {
    type: "WEBHOOK",
    name: "Webhook",
    label: "URL of your webhook",
    hint: "Each update is sent to it as JSON.",
    placeholder: "https://example.com/hook",
  },
  {
    type: "SLACK",
    name: "Slack",
    label: "URL of the incoming webhook in Slack",
    hint: null,
    placeholder: "https://hooks.slack.com/services/…",
  },
];

/** Search engines must not index these pages, because each is a form or concerns one person. */
function toContent(title: string, body: Markup): PageContent {
  return { title, robots: "noindex", body: html`<h1 class="plain">${title}</h1>${body}` };
}

function renderFault(fault: string | null): Markup | null {
  return fault === null ? null : html`<p class="fault" role="alert" id="fault">${fault}</p>`;
}

function renderChoices(services: readonly NamedService[], chosen: ReadonlySet<string>): Markup {
  return html`${services.map(
    ({ id, name }) =>
      html`<label><input type="checkbox" name="service" value="${id}"${chosen.has(id) && html` checked`}> ${name}</label>`,
  )}`;
}

/**
 * Renders the services of a card. If the page has many services, the card is expanded only if one
 * of its services is selected.
 */
function renderGroup(
  { card, services }: { readonly card: string | null; readonly services: readonly NamedService[] },
  chosen: ReadonlySet<string>,
  isFoldable: boolean,
): Markup {
  const choices = renderChoices(services, chosen);
  if (card === null) return choices;
  if (!isFoldable) return html`<fieldset><legend>${card}</legend>${choices}</fieldset>`;
  const isOpen = services.some(({ id }) => chosen.has(id));
  return html`<details${isOpen && html` open`}><summary>${card} (${services.length})</summary><fieldset><legend class="unseen">${card}</legend>${choices}</fieldset></details>`;
}

function renderServices(
  services: readonly NamedService[],
  chosen: ReadonlySet<string>,
): Markup | null {
  if (services.length === 0) return null;
  const isFoldable = services.length > maxUnfoldedServices;
  return html`<fieldset class="choices"><legend>Services</legend>
<p class="quiet">Select services, or none to receive updates about all.</p>
${groupByCard(services).map((group) => renderGroup(group, chosen, isFoldable))}</fieldset>`;
}

/** Renders the field of one way. Its type lets the browser check, complete and type the address. */
function renderAddress(way: Way, { form, fault }: SubscribeView): Markup {
  const isMail = way.type === "EMAIL";
  const described = [way.hint && "hint", fault !== null && "fault"].filter(Boolean).join(" ");
  return html`<label for="address">${way.label}</label>
${way.hint && html`<p id="hint" class="quiet hint">${way.hint}</p>`}
<input id="address" name="address" type="${isMail ? "email" : "url"}" autocomplete="${isMail ? "email" : "off"}" placeholder="${way.placeholder}" spellcheck="false" autocapitalize="none" required maxlength="2048" value="${form.address}"${fault !== null && html` aria-invalid="true"`}${described !== "" && html` aria-describedby="${described}"`}>`;
}

/** Renders the form of one way. The other ways are links, so that each has a field of its type. */
export function renderSubscribe(view: SubscribeView): PageContent {
  const { form, services, fault, offersMail } = view;
  const ways = offersMail ? [emailWay, ...urlWays] : urlWays;
  const chosen = ways.find(({ type }) => type === form.type) ?? ways[0] ?? emailWay;
  const body = html`<div class="card"><nav class="ways" aria-label="How to notify you">${ways.map(
    ({ type, name }) =>
      html`<a class="way" href="${view.action}?type=${type}"${type === chosen.type && html` aria-current="page"`}>${name}</a>`,
  )}</nav>
<form method="post" action="${view.action}"><input type="hidden" name="type" value="${chosen.type}">
${renderFault(fault)}${renderAddress(chosen, view)}
${renderServices(services, new Set(form.serviceIds))}
<button type="submit">Subscribe</button></form></div>
<p class="quiet">You will be asked to confirm, and every message has a link to unsubscribe.</p>`;
  return toContent("Subscribe to updates", body);
}

const confirmationTexts: Readonly<Record<SubscribeForm["type"], string>> = {
  EMAIL:
    "A mail was sent to the given address. Open its link within two days to confirm. " +
    "If nothing arrives within a few minutes, check your spam folder.",
  WEBHOOK:
    "A challenge is sent to the given URL. As soon as the response contains the same " +
    "challenge, the subscription is confirmed.",
  SLACK:
    "A message was posted to the channel of the given webhook. Open its link " +
    "within two days to confirm.",
};

/**
 * Renders the page that follows a subscription request. It is the same for new, pending and
 * existing subscribers, so that it does not reveal who is subscribed.
 */
export function renderConfirmationSent(type: SubscribeForm["type"]): PageContent {
  return toContent("Almost there", html`<div class="card"><p>${confirmationTexts[type]}</p></div>`);
}

/**
 * Renders a page with a button that confirms the subscription. Following the link in the mail is
 * not enough, because mail scanners follow it too.
 */
export function renderConfirm(action: string, address: string): PageContent {
  const body = html`<div class="card"><p>Updates will be sent to <b>${address}</b>.</p>
<form method="post" action="${action}"><button type="submit">Confirm</button></form></div>`;
  return toContent("Confirm your subscription", body);
}

export function renderConfirmed(manageUrl: string): PageContent {
  const body = html`<div class="card"><p>You will be notified of updates.</p>
<p><a href="${manageUrl}">Choose services or unsubscribe</a></p></div>`;
  return toContent("You are subscribed", body);
}

interface ManageView {
  readonly action: string;
  readonly unsubscribeUrl: string;
  readonly address: string;
  readonly services: readonly NamedService[];
  /** Ids of the subscribed services; `null` if the subscription covers all services. */
  readonly serviceIds: readonly string[] | null;
  readonly fault: string | null;
  readonly isSaved: boolean;
}

export function renderManage(view: ManageView): PageContent {
  const body = html`${view.isSaved && html`<p role="status"><b>Your choice is saved.</b></p>`}
<div class="card"><p>Updates are sent to <b>${view.address}</b>.</p>
<form method="post" action="${view.action}">${renderFault(view.fault)}
${renderServices(view.services, new Set(view.serviceIds ?? []))}
<button type="submit">Save</button></form></div>
<p><a href="${view.unsubscribeUrl}">Unsubscribe</a></p>`;
  return toContent("Your subscription", body);
}

export function renderUnsubscribe(action: string, address: string): PageContent {
  const body = html`<div class="card"><p>No more updates will be sent to <b>${address}</b>.</p>
<form method="post" action="${action}"><button type="submit">Unsubscribe</button></form></div>`;
  return toContent("Unsubscribe?", body);
}

export function renderUnsubscribed(subscribeUrl: string): PageContent {
  const body = html`<div class="card"><p>Your address has been deleted.</p>
<p><a href="${subscribeUrl}">Subscribe again</a></p></div>`;
  return toContent("You are unsubscribed", body);
}

/** Renders a page that explains what failed and what to do about it. */
export function renderSubscribeError(
  title: string,
  words: string,
  subscribeUrl: string,
): PageContent {
  const body = html`<div class="card"><p>${words}</p>
<p><a href="${subscribeUrl}">Subscribe to updates</a></p></div>`;
  return toContent(title, body);
}

import { html, type Markup } from "../html.ts";
import type { Guide, Hit } from "./guide.ts";

export const docsStylesheetPath = "/docs/docs.css";
export const docsScriptPath = "/docs/try-it.js";

interface DocsSection {
  readonly title: string;
  /** Names of the files in `docs/` without `.md`. */
  readonly guides: readonly string[];
}

/** The guides of the documentation, in the order of the navigation. */
export const docsOutline: readonly DocsSection[] = [
  { title: "Get started", guides: ["getting-started", "install"] },
  { title: "Concepts", guides: ["concepts", "uptime"] },
  {
    title: "Move in",
    guides: ["move-from-uptime-kuma", "move-from-other-monitors", "move-from-opsgenie"],
  },
  {
    title: "Checks",
    guides: [
      "checks",
      "icmp-checks",
      "url-checks",
      "api-checks",
      "tcp-checks",
      "dns-checks",
      "ssl-checks",
      "grpc-checks",
      "traceroute-checks",
      "paths",
      "multi-step-checks",
      "browser-checks",
      "playwright-suites",
      "setup-and-teardown-scripts",
      "heartbeat-checks",
      "assertions",
      "variables",
      "client-certificates",
      "locations",
      "check-lists",
    ],
  },
  { title: "Alerting", guides: ["alerts", "on-call", "maintenance"] },
  {
    title: "Status pages",
    guides: ["status-pages", "incidents", "subscribers", "custom-domains"],
  },
  { title: "Dashboards", guides: ["dashboards", "prometheus"] },
  { title: "Automation", guides: ["monitoring-as-code", "existing-command-line-and-terraform"] },
  { title: "Agent", guides: ["agent"] },
  {
    title: "Operate",
    guides: [
      "configure",
      "operate",
      "backups",
      "probes",
      "runtimes",
      "many-machines",
      "sign-in",
      "sign-in-security",
      "settings",
    ],
  },
  { title: "Reference", guides: ["commands", "events", "errors"] },
  { title: "Develop", guides: ["database", "decisions"] },
];

export function renderSearchForm(search = ""): Markup {
  return html`<form class="search" action="/docs" role="search">
<input type="search" name="search" value="${search}" maxlength="200" aria-label="Search the docs" placeholder="Search the docs">
<button>Search</button></form>`;
}

interface DocsPage {
  readonly title: string;
  /** Name of the open guide; `null` on pages that are not a guide. */
  readonly name: string | null;
  readonly search: string;
  readonly guides: ReadonlyMap<string, Guide>;
  readonly body: Markup;
}

function renderSideList({ name, search, guides }: DocsPage): Markup {
  return html`<nav aria-label="Docs"><p class="brand"><a href="/docs">Vedette docs</a></p>
${renderSearchForm(search)}
<ul><li><a href="/">To the application</a></li><li><a href="/docs/api">API reference</a></li></ul>
${docsOutline.map(
  (section) =>
    html`<h2>${section.title}</h2><ul>${section.guides.map(
      (guide) =>
        html`<li><a href="/docs/${guide}"${guide === name && html` aria-current="page"`}>${guides.get(guide)?.title}</a></li>`,
    )}</ul>`,
)}</nav>`;
}

export function renderDocsPage(page: DocsPage): Markup {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title}</title><link rel="icon" href="/favicon.svg"><link rel="stylesheet" href="${docsStylesheetPath}"></head>
<body>
<a class="skip" href="#main">Skip to the text</a>
${renderSideList(page)}
<main id="main" class="guide">${page.body}</main></body></html>`;
}

function renderCard({ name, title, about }: Guide): Markup {
  return html`<li><a href="/docs/${name}">${title}</a> <span>${about}</span></li>`;
}

export function renderContents(guides: ReadonlyMap<string, Guide>): Markup {
  return html`<h1>Docs</h1>
<p>The documentation of this version of Vedette. The <a href="/docs/api">API reference</a> lists
every operation and can send requests.</p>
${docsOutline.map((section) => {
  const listed = section.guides.flatMap((name) => guides.get(name) ?? []);
  return html`<h2>${section.title}</h2><ul class="contents">${listed.map(renderCard)}</ul>`;
})}`;
}

export function renderHits(search: string, hits: readonly Hit[]): Markup {
  const count = hits.length === 1 ? "1 result" : `${hits.length} results`;
  return html`<h1>${count} for “${search}”</h1>
${hits.length === 0 && html`<p>No section matches. Try other words, or <a href="/docs">browse the docs</a>.</p>`}
<ol class="hits">${hits.map(
    ({ address, page, title, excerpt }) =>
      html`<li><a href="${address}">${title}</a>${page !== title && html` <span class="of">${page}</span>`}<p>${excerpt}</p></li>`,
  )}</ol>`;
}

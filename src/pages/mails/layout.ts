/**
 * The layout of all mails. HTML and plain text are created from the same content, so that they
 * contain the same facts. The HTML uses tables and inline styles, because some mail programs
 * support nothing else. Programs that support style sheets show dark colours if the reader's system
 * does. There are no images, fonts or scripts.
 */
import { toShortLine } from "../../platform/text/clip.ts";
import { MailText } from "../../platform/text/mail-text.ts";
import { html, type Markup } from "../html.ts";
import { type ColorTokens, colors, fontFamily } from "../tokens.ts";

const maxLineLength = 500;
const maxFactLength = 2_000;
const maxPreviewLength = 140;

/** Style that wraps long words, also in right-to-left text. */
const wrap = "overflow-wrap:anywhere;word-break:break-word";

const darkQuery = "@media (prefers-color-scheme:dark)";

export interface MailLink {
  readonly words: string;
  readonly url: string;
}

export type MailTone = "good" | "fair" | "bad" | "maintenance" | "none";

export type MailPart =
  | { readonly kind: "text"; readonly words: string }
  | { readonly kind: "facts"; readonly facts: readonly (readonly [label: string, value: string])[] }
  | { readonly kind: "heading"; readonly words: string }
  | { readonly kind: "formatted"; readonly markup: Markup; readonly text: string };

export interface MailContent {
  /** Name of the sender: the name of a status page, or Vedette. */
  readonly sender: string;
  readonly subject: string;
  readonly title: string;
  /** Text that mail programs show beside the subject. */
  readonly preview: string;
  /** State that the mail reports. It is shown as a colour, a symbol and a text. */
  readonly state?: { readonly tone: MailTone; readonly words: string };
  readonly parts: readonly MailPart[];
  /** The most likely next action of the reader. It is shown as the only button of the mail. */
  readonly action: MailLink | null;
  readonly links?: readonly MailLink[];
  /**
   * Footer. It says why the reader receives this mail, and may contain links, such as to
   * unsubscribe.
   */
  readonly footer: { readonly words: string; readonly links?: readonly MailLink[] };
}

/** Symbols of the states, with the same shapes as in the application. */
const signs: Readonly<Record<MailTone, string>> = {
  good: "●",
  fair: "▲",
  bad: "■",
  maintenance: "◆",
  none: "○",
};

const { light, dark } = colors;
const line = (text: string) => toShortLine(text, maxLineLength);

/**
 * CSS property and colour token of each class. In dark mode, the style sheet replaces the colours.
 */
const paints = {
  ground: ["background-color", "ground"],
  card: ["background-color", "card"],
  edge: ["border-color", "line"],
  ink: ["color", "ink"],
  muted: ["color", "muted"],
  link: ["color", "accent"],
  button: ["background-color", "accent"],
  "on-button": ["color", "onAccent"],
  good: ["color", "good"],
  fair: ["color", "fair"],
  bad: ["color", "bad"],
  maintenance: ["color", "maintenance"],
  none: ["color", "none"],
} as const satisfies Readonly<Record<string, readonly [property: string, keyof ColorTokens]>>;

/** Returns inline styles with the light colours, for mail programs that drop the style sheet. */
function paint(...names: readonly (keyof typeof paints)[]): string {
  return names.map((name) => `${paints[name][0]}:${light[paints[name][1]]}`).join(";");
}

function writeDarkStyles(): string {
  const rules = Object.entries(paints).map(
    ([name, [property, token]]) => `.${name}{${property}:${dark[token]} !important}`,
  );
  const links = `.words a{color:${dark.accent} !important}`;
  return `@media (prefers-color-scheme:dark){${rules.join("")}${links}}`;
}

/** Style sheet of a mail. It contains only trusted text, so nothing needs to be escaped. */
const styleSheet = html`<style>:root{color-scheme:light dark;supported-color-schemes:light dark}
.words p,.words ul,.words ol,.words pre,.words blockquote{margin:0 0 12px}
.words ul,.words ol{padding-left:24px}.words pre{white-space:pre-wrap}
.words blockquote{padding-left:12px;border-left:3px solid}.words a{color:${light.accent}}
.words h4,.words h5,.words h6{margin:0 0 8px;font-size:16px}
${writeDarkStyles()}</style>`;

function renderLink({ url, words }: MailLink): Markup {
  return html`<a class="link" href="${url}" style="${paint("link")}">${line(words)}</a>`;
}

function renderButton({ url, words }: MailLink): Markup {
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:20px 0 0"><tr><td class="button" style="${paint("button")};border-radius:6px"><a class="on-button" href="${url}" style="display:inline-block;padding:12px 20px;${paint("on-button")};font-weight:600;text-decoration:none">${line(words)}</a></td></tr></table>`;
}

function renderPart(part: MailPart): Markup {
  if (part.kind === "text") {
    return html`<p dir="auto" style="margin:0 0 12px">${line(part.words)}</p>`;
  }
  if (part.kind === "heading") {
    return html`<p dir="auto" style="margin:16px 0 12px;font-weight:600">${line(part.words)}</p>`;
  }
  if (part.kind === "formatted") {
    return html`<div class="words" dir="auto" style="margin:16px 0 0">${part.markup}</div>`;
  }
  const cell = "padding:4px 0;vertical-align:top;text-align:left";
  const label = `${cell};padding-right:16px;font-weight:400;overflow-wrap:normal;word-break:normal`;
  return html`<table cellpadding="0" cellspacing="0" border="0" style="margin:4px 0 0;border-collapse:collapse;font-size:14px">${part.facts.map(
    ([name, value]) =>
      html`<tr><th scope="row" class="muted" style="${label};${paint("muted")}">${line(name)}</th><td class="ink" dir="auto" style="${cell};${paint("ink")};${wrap}">${toShortLine(value, maxFactLength)}</td></tr>`,
  )}</table>`;
}

function writePart(part: MailPart): string {
  if (part.kind === "text" || part.kind === "heading") return line(part.words);
  if (part.kind === "formatted") return part.text;
  return part.facts
    .map(([label, value]) => `${line(label)}: ${toShortLine(value, maxFactLength)}`)
    .join("\n");
}

const writeLink = ({ words, url }: MailLink) => `${line(words)}: ${url}`;

function listLinks({ action, links = [] }: MailContent): readonly MailLink[] {
  return action === null ? links : [action, ...links];
}

function writeText(content: MailContent): string {
  const { state, title, sender, parts, footer } = content;
  const head = [line(sender), line(title), ...(state === undefined ? [] : [line(state.words)])];
  const blocks = [
    head.join("\n"),
    ...parts.map(writePart),
    listLinks(content).map(writeLink).join("\n"),
    `-- \n${[line(footer.words), ...(footer.links ?? []).map(writeLink)].join("\n")}`,
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

function renderCard(content: MailContent): Markup {
  const { state, title, parts, action, links = [] } = content;
  return html`${
    state !== undefined &&
    html`<p style="margin:0 0 4px;font-size:14px;font-weight:600"><span class="${state.tone}" style="${paint(state.tone)}"><span aria-hidden="true">${signs[state.tone]}&nbsp; </span>${line(state.words)}</span></p>`
  }<h1 class="ink" dir="auto" style="margin:0 0 12px;${paint("ink")};font-size:20px;line-height:1.3">${line(title)}</h1>
${parts.map(renderPart)}${action !== null && renderButton(action)}
${links.length > 0 && html`<p style="margin:16px 0 0">${links.map((link, index) => html`${index > 0 && " · "}${renderLink(link)}`)}</p>`}`;
}

function renderDocument(content: MailContent): Markup {
  const { sender, title, preview, footer } = content;
  const table = (inner: Markup, style: string) =>
    html`<table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" border="0" style="${style}">${inner}</table>`;
  const rows = html`<tr><td class="muted" dir="auto" style="padding:0 4px 10px;${paint("muted")};font-size:14px;font-weight:600;${wrap}">${line(sender)}</td></tr>
<tr><td class="card edge ink" style="padding:24px 20px;border:1px solid ${light.line};border-radius:10px;${paint("card", "ink")};${wrap}">
${renderCard(content)}</td></tr>
<tr><td class="muted" style="padding:14px 4px 0;${paint("muted")};font-size:13px;${wrap}"><span dir="auto">${line(footer.words)}</span>${
    footer.links !== undefined &&
    html`<br>${footer.links.map((link, index) => html`${index > 0 && " · "}${renderLink(link)}`)}`
  }</td></tr>`;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<title>${line(title)}</title>
${styleSheet}</head>
<body class="ground ink" style="margin:0;padding:0;${paint("ground", "ink")};font-family:${fontFamily};font-size:16px;line-height:1.5">
<div aria-hidden="true" style="display:none;max-height:0;overflow:hidden;mso-hide:all">${toShortLine(preview, maxPreviewLength)}</div>
${table(
  html`<tr><td align="center" style="padding:24px 12px">${table(rows, "max-width:600px;text-align:left")}</td></tr>`,
  paint("ground"),
)}
</body></html>`;
}

export function renderMail(content: MailContent): MailText {
  return new MailText({
    subject: line(content.subject),
    text: writeText(content),
    html: renderDocument(content).text,
  });
}

/** Changes a mail to always use one colour scheme, for previews. */
export function fixColorScheme(mail: string, scheme: "light" | "dark"): string {
  const fixed = mail.replaceAll(darkQuery, scheme === "dark" ? "@media all" : "@media not all");
  return fixed.replaceAll("color-scheme:light dark", `color-scheme:${scheme}`);
}

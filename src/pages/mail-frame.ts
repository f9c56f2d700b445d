import { html, type Markup } from "./html.ts";
import { colors } from "./tokens.ts";

const { light } = colors;

/** A mail's subject, and the same content as text and as HTML. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** What all our mails look like. Mail programs read styles of the elements only. */
export function renderMailFrame(title: string, body: Markup, footer: Markup): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title></head>
<body style="margin:0;padding:24px;background:${light.ground};color:${light.ink};font:16px/1.5 sans-serif">
<div style="max-width:600px;margin:0 auto;padding:24px;background:${light.card};border:1px solid ${light.line};border-radius:8px">
<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3">${title}</h1>
${body}</div>
<div style="max-width:600px;margin:16px auto 0;color:${light.muted};font-size:13px">${footer}</div>
</body></html>`.text;
}

export function renderMailButton(url: string, words: string): Markup {
  return html`<a href="${url}" style="display:inline-block;padding:10px 18px;border-radius:8px;background:${light.accent};color:${light.onAccent};text-decoration:none">${words}</a>`;
}

import { html, type Markup } from "../html.ts";
import { type PageLook, renderStatusPageShell } from "./shell.ts";

/** Asks for the key, and reveals nothing about the page. */
export function renderUnlockPage(look: PageLook, fault: string | null): Markup {
  const body = html`<h1 class="plain">This page is private</h1>
<div class="card"><form method="post" action="${look.basePath}unlock">
${fault !== null && html`<p class="fault" role="alert">${fault}</p>`}
<label for="key">Key</label>
<input id="key" name="key" type="password" autocomplete="current-password" required maxlength="200">
<button type="submit">Show the page</button></form></div>`;
  return renderStatusPageShell(look, {
    title: "Private page",
    body,
    robots: "noindex",
    isClosed: true,
  });
}

import type { Answer, ServedApp } from "../apps/served-app.ts";

let count = 0;

/** Returns a page URL that no other test uses. */
export function nextPageUrl(): string {
  count += 1;
  return `page-${count}`;
}

export async function createService(app: ServedApp, name = "Checkout"): Promise<string> {
  const answer = await app.call("POST", "/v1/status-pages/services", { body: { name } });
  if (answer.status !== 201) throw new Error(`no service was created: ${answer.text}`);
  return answer.body.id;
}

/** Sends a request that creates a page with the required fields and the given fields. */
export function postStatusPage(
  app: ServedApp,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  const body = { name: "Acme status", url: nextPageUrl(), cards: [], ...more };
  return app.call("POST", "/v1/status-pages", { body });
}

/** Creates a page and returns it as the API shows it. */
export async function createStatusPage(
  app: ServedApp,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Answer["body"]> {
  const answer = await postStatusPage(app, more);
  if (answer.status !== 201) throw new Error(`no page was created: ${answer.text}`);
  return answer.body;
}

import type { Page, Request } from "playwright-core";
import { waitUntil } from "../time/wait-until.ts";

/** Whether a request fetches the view of a dashboard. */
export const isLook = (url: string) => url.includes("/view");

/**
 * A clock that jumps during a request makes the page abandon it as too slow. The returned function
 * waits until no request is in progress.
 */
export function watchLooks(page: Page): () => Promise<void> {
  let open = 0;
  const count = (step: number) => (request: Request) => {
    if (isLook(request.url())) open += step;
  };
  page.on("request", count(1));
  page.on("requestfinished", count(-1));
  page.on("requestfailed", count(-1));
  return () =>
    waitUntil("the page has no request in progress", async () => {
      await page.evaluate('fetch(location.href, { method: "HEAD" }).then((answer) => answer.ok)');
      return open === 0;
    });
}

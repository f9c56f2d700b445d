import type { Page, Request } from "playwright-core";
import { waitUntil } from "../time/wait-until.ts";

/** Whether a request fetches the view of a dashboard. */
export const isLook = (url: string) => url.includes("/view");

/**
 * Returns a function that waits until the page has no request in progress. A test must wait before
 * it advances the clock, because a jump of the clock makes the page abandon a request as too slow.
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

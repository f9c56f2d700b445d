import type { Page, Request } from "playwright-core";
import { waitUntil } from "../time/wait-until.ts";

/** Whether a dashboard's page asks for what it shows. */
export const isLook = (url: string) => url.includes("/view");

/**
 * A clock that jumps while the page looks makes it give that look up as too slow. The answer of a
 * later request comes after all that the page does with an earlier one.
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
    waitUntil("the page does not look just now", async () => {
      await page.evaluate('fetch(location.href, { method: "HEAD" }).then((answer) => answer.ok)');
      return open === 0;
    });
}

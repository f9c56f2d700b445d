/** Measures the first three tasks of a new user, using visible text and buttons. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { startFirst } from "./server.ts";

export interface Step {
  readonly name: string;
  readonly clicks: number;
  readonly seconds: number;
}

/** Counts clicks; typing is not counted. */
class Hand {
  clicks = 0;
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async press(role: "button" | "link", name: string | RegExp): Promise<void> {
    this.clicks += 1;
    await this.page.getByRole(role, { name }).first().click();
  }

  type(name: string | RegExp, text: string): Promise<void> {
    return this.page.getByRole("textbox", { name }).first().fill(text);
  }
}

async function measure(hand: Hand, name: string, act: () => Promise<unknown>): Promise<Step> {
  const startMs = performance.now();
  hand.clicks = 0;
  await act();
  return { name, clicks: hand.clicks, seconds: (performance.now() - startMs) / 1_000 };
}

async function startReceiver() {
  const server = createServer((_request, response) => response.end("thank you"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, stop: () => server.close() };
}

export async function measureFirstMinutes(browser: Browser): Promise<readonly Step[]> {
  const { url, link, stop } = await startFirst();
  const receiver = await startReceiver();
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const hand = new Hand(page);
  try {
    const signedIn = await measure(hand, "signed in", async () => {
      await page.goto(link);
      await hand.type("New password", "a sentence of my own");
      await hand.press("button", "Save and continue");
      await page.getByRole("heading", { name: "First steps" }).waitFor();
    });
    const firstCheck = await measure(hand, "first check with its result", async () => {
      await hand.press("link", "Add a check");
      await hand.type(/^What do you want to monitor/, `${url}/healthz`);
      await page.keyboard.press("Enter");
      await page.getByRole("region", { name: "Runs" }).getByRole("listitem").first().waitFor();
    });
    const firstChannel = await measure(hand, "first channel with a test that arrived", async () => {
      await hand.press("link", "Alerts");
      await hand.press("link", "Channels");
      await hand.press("link", "Webhook");
      await hand.type("Name", "Pager");
      await hand.type("URL", receiver.url);
      await hand.press("button", "Send test");
      await page.getByText("The test was delivered.").waitFor();
      await hand.press("button", "Save channel");
      await page.getByText("The channel was saved.").waitFor();
    });
    return [signedIn, firstCheck, firstChannel];
  } finally {
    await page.close();
    receiver.stop();
    await stop();
  }
}

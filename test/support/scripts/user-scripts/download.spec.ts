import { readFileSync } from "node:fs";
import { expect, test } from "@playwright/test";

test("the invoice is a file", async ({ page, context }) => {
  const base = process.env.ENVIRONMENT_URL ?? "https://shop.example.com";
  await context.addCookies([{ name: "session", value: "1", url: base }]);
  await page.goto(`${base}/account`);
  const waiting = page.waitForEvent("download");
  await page.getByText("Invoice").click();
  const download = await waiting;
  expect(download.suggestedFilename()).toBe("invoice.csv");
  expect(readFileSync(await download.path(), "utf8")).toBe("1;2");
  await download.saveAs("invoice.csv");
});

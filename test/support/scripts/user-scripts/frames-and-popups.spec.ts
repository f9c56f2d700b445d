import { expect, test } from "@playwright/test";

const base = process.env.ENVIRONMENT_URL ?? "https://shop.example.com";

test.use({ viewport: { width: 800, height: 600 }, locale: "de-DE" });

test("a frame and a popup", async ({ page, context }) => {
  await page.route("**/*.png", (route) => route.abort());
  await context.addCookies([{ name: "session", value: "1", url: base }]);
  await page.goto(`${base}/account`);
  const frame = page.frameLocator("iframe[title=Payment]");
  await frame.getByLabel("Card").fill("4242 4242 4242 4242");
  await frame.getByRole("button", { name: "Pay" }).click();
  await expect(frame.getByRole("button")).toHaveText("Paid");
  const [popup] = await Promise.all([page.waitForEvent("popup"), page.getByText("Help").click()]);
  await popup.waitForLoadState();
  await expect(popup.getByRole("heading")).toHaveText("Help");
  await popup.close();
  expect(await page.evaluate(() => navigator.language)).toBe("de-DE");
});

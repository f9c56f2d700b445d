import { expect, test } from "@playwright/test";

const base = process.env.ENVIRONMENT_URL ?? "https://shop.example.com";

test.describe("members", () => {
  test.beforeEach(async ({ page }) => {
    await page.goto(`${base}/login`);
  });

  test("log in with their password", async ({ page, context }) => {
    await page.getByLabel("User name").fill("Ada");
    await page.getByLabel("Password").fill(process.env.PASSWORD ?? "");
    const response = page.waitForResponse(/\/orders$/);
    await page.getByRole("button", { name: "Log in" }).click();
    await expect(page).toHaveURL(/\/account$/);
    await expect(page.getByText("Welcome, Ada")).toBeVisible();
    expect((await response).status()).toBe(200);
    await expect.soft(page.getByText("3 orders")).toBeVisible();
    const { cookies } = await context.storageState();
    expect(cookies.map(({ name }) => name)).toContain("session");
    await page.screenshot({ path: "account.jpg" });
  });

  test("stay outside with a wrong one", async ({ page }) => {
    await page.fill('input[name="user"]', "Ada");
    await page.fill('input[name="password"]', "guess");
    await page.click("text=Log in");
    await expect(page).toHaveTitle("Log in");
  });
});

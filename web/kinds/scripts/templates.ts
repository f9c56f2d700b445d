/** Example scripts. Each example shows one pattern and passes when its URL has been replaced. */

export interface Template {
  readonly name: string;
  readonly hint: string;
  readonly script: string;
}

/** Expression with which a script reads a variable. */
export const variableExample = "process.env.API_TOKEN";

export const templates: readonly Template[] = [
  {
    name: "Single request",
    hint: "Tests the status, the duration and a field of a JSON response.",
    script: `import { expect, test } from "@playwright/test";

test("the service is healthy", async ({ request }) => {
  const startedAt = Date.now();
  const response = await request.get("https://api.example.com/health");

  await test.step("responds with 200 within 2 seconds", async () => {
    expect(response.status()).toBe(200);
    expect(Date.now() - startedAt).toBeLessThan(2_000);
  });

  await test.step("reports that it is up", async () => {
    const body = await response.json();
    expect(body.status).toBe("up");
  });
});
`,
  },
  {
    name: "Log in, then call",
    hint: "Gets a token with a user name and password, and sends it with the next request.",
    script: `import { expect, test } from "@playwright/test";

const base = "https://api.example.com";

// Define USERNAME and PASSWORD as variables of the account, the group or this check.
const { USERNAME, PASSWORD } = process.env;

test("a user can read their profile", async ({ request }) => {
  let token = "";

  await test.step("log in", async () => {
    const response = await request.post(\`\${base}/login\`, {
      data: { username: USERNAME, password: PASSWORD },
    });
    expect(response, "the log-in failed").toBeOK();
    token = (await response.json()).token;
    expect(token, "there is no token in the response").toBeTruthy();
  });

  await test.step("read the profile", async () => {
    const response = await request.get(\`\${base}/me\`, {
      headers: { authorization: \`Bearer \${token}\` },
    });
    expect(response).toBeOK();
    expect((await response.json()).username).toBe(USERNAME);
  });
});
`,
  },
  {
    name: "Write, read, delete",
    hint: "Creates an entry, reads it back and deletes it, even if reading fails.",
    script: `import { expect, test } from "@playwright/test";

const base = "https://api.example.com";
const headers = { authorization: \`Bearer \${process.env.API_TOKEN}\` };

test("an entry can be created, read and deleted", async ({ request }) => {
  const name = \`monitor-\${Date.now()}\`;
  let id = "";

  await test.step("create", async () => {
    const response = await request.post(\`\${base}/entries\`, { headers, data: { name } });
    expect(response.status()).toBe(201);
    id = (await response.json()).id;
  });

  try {
    await test.step("read", async () => {
      const response = await request.get(\`\${base}/entries/\${id}\`, { headers });
      expect(response).toBeOK();
      expect((await response.json()).name).toBe(name);
    });
  } finally {
    await test.step("delete", async () => {
      const response = await request.delete(\`\${base}/entries/\${id}\`, { headers });
      expect(response.status()).toBe(204);
    });
  }
});
`,
  },
];

export const browserTemplates: readonly Template[] = [
  {
    name: "Single page",
    hint: "Opens a page, and tests its status, its title and what it shows.",
    script: `import { expect, test } from "@playwright/test";

test("the home page works", async ({ page }) => {
  const response = await page.goto("https://shop.example.com/");
  expect(response?.status(), "the status of the page").toBeLessThan(400);

  await expect(page).toHaveTitle(/Shop/);
  await expect(page.getByRole("navigation")).toBeVisible();
});
`,
  },
  {
    name: "Log in",
    hint: "Fills a form with a user name and password, and tests what a member sees.",
    script: `import { expect, test } from "@playwright/test";

// Define USERNAME and PASSWORD as variables of the account, the group or this check.
const { USERNAME = "", PASSWORD = "" } = process.env;

test("a member can log in and out", async ({ page }) => {
  await test.step("log in", async () => {
    await page.goto("https://shop.example.com/login");
    // Labels and roles survive a redesign; CSS classes do not.
    await page.getByLabel("User name").fill(USERNAME);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Log in" }).click();
    // This line waits until the text is visible, so the script needs no pauses.
    await expect(page.getByText(\`Welcome, \${USERNAME}\`)).toBeVisible();
  });

  await test.step("log out", async () => {
    await page.getByRole("button", { name: "Log out" }).click();
    await expect(page).toHaveURL(/\\/login/);
  });
});
`,
  },
  {
    name: "Checkout",
    hint: "Puts an article into the cart, goes to the checkout, and leaves no order behind.",
    script: `import { expect, test } from "@playwright/test";

test("an article can be bought", async ({ page }) => {
  await test.step("find an article", async () => {
    await page.goto("https://shop.example.com/");
    await page.getByRole("searchbox").fill("lamp");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: /lamp/i }).first().click();
  });

  await test.step("put it into the cart", async () => {
    await page.getByRole("button", { name: "Add to cart" }).click();
    await expect(page.getByTestId("cart-count")).toHaveText("1");
  });

  await test.step("see the total", async () => {
    await page.goto("https://shop.example.com/checkout");
    await expect(page.getByText("Total")).toBeVisible();
    await expect(page.getByRole("button", { name: "Pay" })).toBeEnabled();
  });

  // A picture of a step that works, for comparison with one that does not.
  await page.screenshot({ path: "checkout.png" });

  // The script stops before the payment. If the shop accepts a test card, add the payment here.
});
`,
  },
];

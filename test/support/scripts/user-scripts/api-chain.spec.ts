import { type APIRequestContext, test as base, expect } from "@playwright/test";

const url = process.env.ENVIRONMENT_URL ?? "https://shop.example.com";

/** Test with an API client that is already signed in. */
const test = base.extend<{ client: APIRequestContext }>({
  client: async ({ playwright }, use) => {
    const guest = await playwright.request.newContext({ baseURL: url });
    const response = await guest.post("/api/login", { data: { password: process.env.PASSWORD } });
    await expect(response).toBeOK();
    const { token } = await response.json();
    const extraHTTPHeaders = { authorization: `Bearer ${token}` };
    const client = await playwright.request.newContext({ baseURL: url, extraHTTPHeaders });
    await use(client);
    await client.dispose();
    await guest.dispose();
  },
});

test("a token opens the orders", async ({ client, request }) => {
  await test.step("without it, nothing is shown", async () => {
    expect((await request.get(`${url}/orders`)).status()).toBe(401);
  });
  await test.step("with it, all orders are", async () => {
    const response = await client.get("/orders");
    expect(response.headers()["content-type"]).toContain("application/json");
    const body = await response.json();
    expect(body).toMatchObject({ orders: [1, 2, 3] });
  });
  await test.step("the newest one arrives", async () => {
    await expect
      .poll(async () => (await (await client.get("/orders")).json()).orders.at(-1))
      .toBe(3);
  });
});

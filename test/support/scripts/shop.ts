import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export const shopPassword = "correct-horse-battery";

const documents: Readonly<Record<string, string>> = {
  "/": `<title>Shop</title><h1>Lamps</h1><img src="/missing.png" alt="">
    <script>console.error("The cart is empty."); setTimeout(() => { throw new Error("no total") })</script>`,
  "/login": `<title>Log in</title><form method="post" action="/session">
    <label>User name <input name="user"></label>
    <label>Password <input name="password" type="password"></label><button>Log in</button></form>`,
  "/account": `<title>Account</title><p>Welcome, Ada</p>
    <a href="/invoice.csv" download>Invoice</a><a href="/help" target="_blank">Help</a>
    <iframe src="/frame" title="Payment"></iframe>
    <script>fetch("/orders", { headers: { authorization: "Bearer t-1" } }).then((r) => r.json())
      .then(({ orders }) => document.body.append(orders.length + " orders"))</script>`,
  "/help": "<title>Help</title><h1>Help</h1>",
  "/frame": `<label>Card <input></label><button onclick="this.textContent='Paid'">Pay</button>`,
};

const asJson = { "content-type": "application/json" };

/**
 * Starts a shop with a login form and an account page, which contains an invoice, a frame and a
 * popup.
 */
export async function startShop(): Promise<{ readonly url: string; readonly stop: () => void }> {
  const shop = createServer(async (request, response) => {
    const { url = "", headers } = request;
    let sent = "";
    for await (const part of request) sent += part;
    if (url === "/session") {
      const isRight = new URLSearchParams(sent).get("password") === shopPassword;
      const cookie = isRight ? { "set-cookie": "session=1; HttpOnly" } : {};
      const location = isRight ? "/account" : "/login";
      return response.writeHead(303, { location, ...cookie }).end();
    }
    if (url === "/api/login") {
      const isRight = JSON.parse(sent).password === shopPassword;
      return response
        .writeHead(isRight ? 200 : 403, asJson)
        .end(isRight ? '{"token":"t-1"}' : "{}");
    }
    if (url === "/orders") {
      const isKnown = headers.authorization === "Bearer t-1";
      const body = isKnown ? '{"orders":[1,2,3]}' : "{}";
      return response.writeHead(isKnown ? 200 : 401, asJson).end(body);
    }
    if (url === "/invoice.csv")
      return response.writeHead(200, { "content-type": "text/csv" }).end("1;2");
    const isClosed = url === "/account" && headers.cookie !== "session=1";
    const html = isClosed ? undefined : documents[url];
    const type = { "content-type": "text/html; charset=utf-8" };
    return response.writeHead(html === undefined ? 404 : 200, type).end(html);
  });
  await new Promise<void>((resume) => shop.listen(0, "127.0.0.1", resume));
  const url = `http://localhost:${(shop.address() as AddressInfo).port}`;
  return { url, stop: () => void shop.close() };
}

import { after, before, test } from "node:test";
import { openScreen, type ServedApp, shareTestApp } from "../../test/support/components/screen.tsx";
import { waitUntil } from "../../test/support/time/wait-until.ts";

let app: ServedApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

test("a snippet is written, changed and deleted", async () => {
  const screen = await openScreen(app, "/settings/snippets");
  await screen.getByText("No snippets yet").waitFor();
  await screen.getByRole("button", { name: "New snippet" }).click();
  await screen.getByLabel("Name").fill("sign");
  await screen.getByLabel("Script").fill("module.exports = 1");
  await screen.getByRole("button", { name: "Save" }).click();
  await screen.getByText('require("./snippets/sign.js")').waitFor();
  await screen.getByRole("button", { name: "Edit sign" }).click();
  await screen.getByLabel("Script").fill("module.exports = 2");
  await screen.getByRole("button", { name: "Save" }).click();
  await waitUntil("the change is saved", async () => {
    const { body: list } = await app.call("GET", "/v1/snippets");
    return list.length === 1 && list[0].script === "module.exports = 2";
  });
  await screen.getByRole("button", { name: "Delete sign" }).click();
  await screen.getByRole("button", { name: "Delete", exact: true }).click();
  await screen.getByText("No snippets yet").waitFor();
});

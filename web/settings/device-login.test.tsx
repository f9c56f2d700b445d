/** Confirmation of a command line that signs in. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openScreen, type ServedApp, shareTestApp } from "../../test/support/components/screen.tsx";

let app: ServedApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

/** Starts a login as the command line does. */
async function start() {
  const { body } = await app.call("POST", "/oauth/device/code", {
    key: null,
    rawBody: "client_id=cli&scope=openid",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "user-agent": "checkly <b>cli</b>",
    },
  });
  return body as { readonly user_code: string; readonly device_code: string };
}

async function poll(deviceCode: string) {
  const grant = "urn:ietf:params:oauth:grant-type:device_code";
  const fields = { grant_type: grant, device_code: deviceCode, client_id: "cli" };
  return app.call("POST", "/oauth/token", {
    key: null,
    rawBody: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
}

test("a typed code shows the device, which is signed in after a confirmation", async () => {
  const { user_code, device_code } = await start();
  const screen = await openScreen(app, "/device");
  await screen.getByLabel("Code").fill("BBBB-BBBB");
  await screen.getByRole("button", { name: "Continue" }).click();
  await screen.getByText("No device waits under this code").waitFor();
  await screen.getByLabel("Code").fill(user_code.toLowerCase());
  await screen.getByRole("button", { name: "Continue" }).click();
  await screen.getByRole("heading", { name: `Code ${user_code}` }).waitFor();
  await screen.getByText("checkly <b>cli</b>").waitFor();
  await screen.getByText("127.0.0.1").waitFor();
  await screen.getByRole("button", { name: "Sign in the device" }).click();
  await screen.getByText("The device is signed in").waitFor();
  assert.equal((await poll(device_code)).status, 200);
});

test("a link with a code confirms nothing by itself, and a denial ends the sign-in", async () => {
  const { user_code, device_code } = await start();
  const screen = await openScreen(app, `/device?code=${user_code}`);
  await screen.getByRole("button", { name: "Deny" }).waitFor();
  assert.equal((await poll(device_code)).body.error, "authorization_pending");
  await screen.getByRole("button", { name: "Deny" }).click();
  await screen.getByText("The device was denied").waitFor();
});

/** Password, second factors and sessions of a user. Chromium keeps the passkeys. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  addMember,
  faultRequestId,
  loadSecondFactors,
  openScreen,
  type Screen,
  type ServedApp,
  signIn,
  startTestApp,
} from "../../../test/support/components/screen.tsx";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

let app: ServedApp;
const { readCodeAt } = await loadSecondFactors();
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

interface Person {
  readonly email: string;
  readonly password: string;
}

const path = "/settings/security";
const button = (screen: Screen, name: string | RegExp) =>
  screen.getByRole("button", typeof name === "string" ? { name, exact: true } : { name });
const field = (screen: Screen, name: string | RegExp) => screen.getByRole("textbox", { name });
const codeNow = (secret: string) => readCodeAt(secret, app.clock.now().getTime());

async function givePassword(screen: Screen, { email, password }: Person): Promise<void> {
  await screen.getByLabel("Email").fill(email);
  await field(screen, "Password").fill(password);
  await button(screen, "Sign in").click();
}

/** Opens the security screen as this user, who has signed in by hand. */
async function openAs(person: Person): Promise<Screen> {
  const screen = await openScreen(app, path, { role: null });
  await givePassword(screen, person);
  await screen.getByRole("heading", { name: "Sessions" }).waitFor();
  return screen;
}

function signOut(screen: Screen): void {
  screen.cookies.clear();
  screen.goto(path);
}

/** Sets up an authenticator app, and returns its secret and the recovery codes. */
async function setUpApp(screen: Screen) {
  await button(screen, "Set up").click();
  const dialog = screen.getByRole("dialog", { name: "Set up an authenticator app" });
  await dialog.getByRole("img", { name: "QR code with the secret" }).waitFor();
  const secret = (await dialog.locator("code").textContent()).replaceAll(/\s/g, "");
  await dialog.getByLabel("Six-digit code").fill("000000");
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await dialog.getByText("is not a valid code for this secret").waitFor();
  await dialog.getByLabel("Six-digit code").fill(codeNow(secret));
  await dialog.getByRole("button", { name: "Confirm" }).click();
  const shown = screen.getByRole("dialog", { name: "Recovery codes" });
  await shown.getByRole("listitem").first().waitFor();
  const codes = shown.getByRole("listitem").allTextContents();
  await button(screen, "I have saved them").click();
  await shown.waitFor({ state: "hidden" });
  return { secret, codes };
}

test("an authenticator app is set up, then a code or a recovery code is required", async () => {
  const person = await addMember(app, "tess@example.com", { role: "READ_ONLY" });
  const screen = await openAs(person);
  const { secret, codes } = await setUpApp(screen);
  assert.equal(codes.length, 10);
  await screen.getByText("10 recovery codes are left.").waitFor();
  await screen.audit();
  signOut(screen);
  await givePassword(screen, person);
  const code = screen.getByLabel("Code from your authenticator app");
  await code.waitFor();
  await screen.audit();
  await code.fill("000000");
  await button(screen, "Sign in").click();
  await screen.getByRole("alert").first().waitFor();
  // A code from a clock half a minute ahead is accepted, and was not used yet.
  await code.fill(readCodeAt(secret, app.clock.now().getTime() + 30_000));
  await button(screen, "Sign in").click();
  await screen.getByRole("heading", { name: "Sessions" }).waitFor();
  signOut(screen);
  await givePassword(screen, person);
  await button(screen, "Use a recovery code").click();
  await screen.getByLabel("Recovery code").fill(codes[3] ?? "");
  await button(screen, "Sign in").click();
  await screen.getByText("9 recovery codes are left.").waitFor();
  await button(screen, "Remove").click();
  await field(screen, "Your password").fill(person.password);
  await button(screen, "Confirm").click();
  await button(screen, "Set up").waitFor();
});

test("if an account requires a second factor, a user without one must set one up", async () => {
  const person = await addMember(app, "newcomer@example.com", { role: "READ_WRITE" });
  await app.query("update accounts set requires_second_factor = true");
  try {
    const screen = await openScreen(app, "/checks", { role: null });
    await givePassword(screen, person);
    await screen.getByText("Set up a second factor to continue").waitFor();
    assert.equal(screen.address, path);
    assert.equal(screen.getByRole("heading", { name: "Password" }).count(), 0);
    await screen.audit();
    await setUpApp(screen);
    await screen.getByText("Set up a second factor to continue").waitFor({ state: "hidden" });
  } finally {
    await app.query("update accounts set requires_second_factor = false");
  }
});

test("an owner without a second factor cannot require one, and a member is not asked", async () => {
  const owner = await openScreen(app, path);
  const rule = owner.getByLabel("Require a second factor from all members");
  await owner.getByText("Set up your own second factor first.").waitFor();
  assert.equal(await rule.isDisabled(), true);
  const admin = await openScreen(app, path, { role: "ADMIN" });
  await admin.getByRole("heading", { name: "Sessions" }).waitFor();
  assert.equal(admin.getByLabel("Require a second factor from all members").count(), 0);
});

test("a password is changed with the current one, and ends the other sessions", async () => {
  const person = await addMember(app, "changer@example.com", { role: "READ_ONLY" });
  const other = await signIn(app, person.email, person.password);
  const screen = await openAs(person);
  const current = field(screen, "Current password");
  const next = field(screen, "New password");
  await current.fill("not the password");
  await next.fill("a sentence to remember");
  await button(screen, "Change password").click();
  await screen.getByText(/^Current password .*wrong/).waitFor();
  await current.fill(person.password);
  await next.fill("password123");
  await button(screen, "Change password").click();
  await screen.getByText(/^New password .*common/).waitFor();
  await next.fill("a sentence to remember");
  await button(screen, "Change password").click();
  await screen.getByText("All other sessions were signed out.").waitFor();
  assert.equal(await current.inputValue(), "");
  assert.equal((await app.call("GET", "/v1/users/me", { key: null, cookie: other })).status, 401);
  await signIn(app, person.email, "a sentence to remember");
});

test("other sessions are listed and ended, one by one or all at once", async () => {
  const person = await addMember(app, "many@example.com", { role: "READ_ONLY" });
  const others = [];
  for (let count = 0; count < 2; count += 1) {
    others.push(await signIn(app, person.email, person.password));
  }
  const screen = await openAs(person);
  const list = screen.getByRole("main").getByRole("listitem").filter({ hasText: "127.0.0.1" });
  // The invite signed this user in, too.
  await waitUntil("all are listed", () => list.count() === 4);
  await screen.getByText("This browser").waitFor();
  const ends = screen.getByRole("main").getByRole("button", { name: /^Sign out(?!.*all)/ });
  await ends.first().click();
  await screen.getByText("The session was signed out.").waitFor();
  await waitUntil("one is gone", () => list.count() === 3);
  await button(screen, "Sign out all others").click();
  const dialog = screen.getByRole("dialog");
  await dialog.getByText("2 other browsers are signed out immediately.").waitFor();
  await dialog.getByRole("button", { name: "Sign out all others" }).click();
  await waitUntil("this one is left", () => list.count() === 1);
  for (const cookie of others) {
    assert.equal((await app.call("GET", "/v1/users/me", { key: null, cookie })).status, 401);
  }
});

test("a screen that cannot be loaded shows the error, and loads on retry", async () => {
  const screen = await openScreen(app, "/settings/profile");
  await screen.getByText("Your role in this account").waitFor();
  screen.breakApi(/^GET \/v1\/users\/me\/./);
  await screen.getByRole("link", { name: "Security" }).click();
  await screen.getByText(faultRequestId).first().waitFor();
  screen.restoreApi();
  await button(screen, "Try again").click();
  await screen.getByRole("heading", { name: "Authenticator app" }).waitFor();
});

test("new recovery codes replace the old ones, after a proof of identity", async () => {
  const person = await addMember(app, "renewer@example.com", { role: "READ_ONLY" });
  const screen = await openAs(person);
  const { codes: old } = await setUpApp(screen);
  await button(screen, "Create new codes").click();
  const dialog = screen.getByRole("dialog");
  await dialog.getByText("Your current codes stop working.").waitFor();
  await field(screen, "Your password").fill("not the password");
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await dialog.getByText("This is not your password.").waitFor();
  await field(screen, "Your password").fill(person.password);
  await dialog.getByRole("button", { name: "Confirm" }).click();
  const shown = screen.getByRole("dialog", { name: "Recovery codes" });
  await shown.getByRole("listitem").first().waitFor();
  const codes = shown.getByRole("listitem").allTextContents();
  assert.equal(codes.length, 10);
  assert.equal(codes.filter((code) => old.includes(code)).length, 0);
});

/** Every way to sign in without a second factor. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  addMember,
  openScreen,
  type Screen,
  type ServedApp,
  signIn,
  startTestApp,
} from "../../test/support/components/screen.tsx";

const ownerPassword = "correct horse battery";

import { type MailReceiver, startMailReceiver } from "../../test/support/servers/mail-receiver.ts";
import { waitUntil } from "../../test/support/time/wait-until.ts";

let app: ServedApp;
let post: MailReceiver;
const ends: (() => unknown)[] = [];
before(async () => {
  post = await startMailReceiver({ after: (end) => ends.push(end as () => unknown) });
  app = await startTestApp({ SMTP_URL: post.url, MAIL_FROM: "vedette@example.com" });
});
after(async () => {
  await app.stop();
  for (const end of ends) await end();
});

const password = (screen: Screen) => screen.getByRole("textbox", { name: "Password" });
const newPassword = (screen: Screen) => screen.getByRole("textbox", { name: "New password" });
const press = (screen: Screen, name: string) => screen.getByRole("button", { name }).click();

/** A screen is ready when its heading is, because its code loads after the shell. */
async function waitForScreen(screen: Screen): Promise<void> {
  await screen.getByRole("navigation", { name: "Main" }).waitFor();
  await screen.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
}

async function signInByHand(screen: Screen, email: string, word: string): Promise<void> {
  await screen.getByLabel("Email").fill(email);
  await password(screen).fill(word);
  await press(screen, "Sign in");
}

/** Returns the path of the newest link in the mail to an address. */
async function readMailedPath(email: string, screen: string, about = ""): Promise<string> {
  const find = () =>
    post.mails
      .filter(({ to, raw }) => to.includes(email) && raw.includes(about))
      .map(({ raw }) => raw.replaceAll("=\r\n", "").replaceAll("=3D", "="))
      .map((text) => new RegExp(`/${screen}#token=[\\w-]{43}`).exec(text)?.[0])
      .findLast((path) => path !== undefined);
  await waitUntil(`a mail to ${email}`, () => find() !== undefined);
  return find() ?? "";
}

test("the first owner enters an address, confirms it, and changes it", async () => {
  const bare = { BOOTSTRAP_PASSWORD: "", BOOTSTRAP_EMAIL: "owner@vedette.localhost" };
  const fresh = await startTestApp({ ...bare, SMTP_URL: post.url });
  const first = "ada@example.com";
  const second = "lovelace@example.com";
  try {
    const path = `/sign-in#link=${fresh.owner.linkToken}`;
    const screen = await openScreen(fresh, path, { role: null, width: 390 });
    await screen.getByRole("heading", { name: "Welcome to Vedette" }).waitFor();
    await screen.audit();
    await screen.getByRole("textbox", { name: "Your email address" }).fill(first);
    await screen.getByRole("textbox", { name: "Your name" }).fill("Ada Ray");
    await newPassword(screen).fill("password123");
    await press(screen, "Save and continue");
    await screen.getByText("is a common password").waitFor();
    await newPassword(screen).fill("a sentence to remember");
    await press(screen, "Save and continue");
    await waitForScreen(screen);
    await screen.getByText(`A confirmation email was sent to ${first}`).waitFor();
    assert.equal((await fresh.query("select name from users")).rows[0].name, "Ada Ray");
    screen.goto(await readMailedPath(first, "confirm-email"));
    await screen.getByText(`Your new address is ${first}`).waitFor();
    await screen.audit();
    await press(screen, "Confirm address");
    await screen.getByRole("heading", { name: "Email" }).waitFor();
    await screen.getByRole("main").getByText(first, { exact: true }).waitFor();
    await press(screen, "Change address");
    await screen.getByRole("textbox", { name: "New address" }).fill(second);
    await screen.getByRole("textbox", { name: "Your password" }).fill("a sentence to remember");
    await press(screen, "Save address");
    await screen.getByRole("button", { name: `Keep ${first}` }).waitFor();
    await screen.audit();
    screen.cookies.clear();
    screen.goto(await readMailedPath(second, "confirm-email"));
    await screen.getByText("Sign in to confirm your new address").waitFor();
    await signInByHand(screen, first, "a sentence to remember");
    await press(screen, "Confirm address");
    await screen.getByRole("main").getByText(second, { exact: true }).waitFor();
    await signIn(fresh, second, "a sentence to remember");
  } finally {
    await fresh.stop();
  }
});

test("the printed link signs the owner in with one click, and works once", async () => {
  const fresh = await startTestApp({ BOOTSTRAP_PASSWORD: "", BUILT_IN_PROBE: "false" });
  try {
    const path = `/sign-in#link=${fresh.owner.linkToken}`;
    const screen = await openScreen(fresh, path, { role: null });
    await screen.getByRole("heading", { name: "Choose a password" }).waitFor();
    assert.equal(location.hash, "", "the token has left the address");
    await newPassword(screen).fill("password123");
    await press(screen, "Save and continue");
    await screen.getByText("is a common password").waitFor();
    await newPassword(screen).fill("a sentence to remember");
    await press(screen, "Save and continue");
    await waitForScreen(screen);
    await screen.getByRole("heading", { name: "Add a check" }).waitFor();
    const again = await openScreen(fresh, path, { role: null });
    await again.getByText("npm run vedette sign-in-link").waitFor();
    await again.audit();
  } finally {
    await fresh.stop();
  }
});

test("an existing user signs in to join a second account, although another was chosen here", async () => {
  const person = await addMember(app, "both@example.com", { role: "READ_ONLY" });
  const other = await app.call("POST", "/v1/accounts", { body: { name: "Second & Sons" } });
  await app.call("POST", `/v1/accounts/${other.body.id}/invites`, {
    body: { email: person.email, role: "ADMIN" },
  });
  const path = await readMailedPath(person.email, "invite", "Second & Sons");
  // Chosen by another user of this browser, to whose account this user has no access.
  localStorage.setItem("vedette.account", crypto.randomUUID());
  const screen = await openScreen(app, path, { role: null });
  await screen.getByText("A user with this email address already exists").waitFor();
  await screen.audit();
  await password(screen).fill(person.password);
  await press(screen, "Sign in");
  await press(screen, "Join Second & Sons");
  await waitUntil("the account is chosen", () => {
    return localStorage.getItem("vedette.account") === other.body.id;
  });
  screen.goto("/");
  await press(screen, "Account: Second & Sons");
  const accounts = screen.getByRole("list", { name: "Switch account" });
  await accounts.getByRole("button", { name: /^Vedette/ }).click();
  screen.goto("/");
  await screen.getByRole("button", { name: "Account: Vedette" }).waitFor();
});

test("a forgotten password is reset by a mailed link", async () => {
  const email = "forgetful@example.com";
  await addMember(app, email, { role: "READ_ONLY" });
  const screen = await openScreen(app, "/", { role: null, width: 390 });
  await signInByHand(screen, email, "not the password");
  await screen.getByRole("alert").getByText("Wrong email or password").waitFor();
  await screen.audit();
  await screen.getByRole("link", { name: "Forgot password?" }).click();
  await screen.getByLabel("Email").fill(email);
  await press(screen, "Send link");
  await screen.getByRole("heading", { name: "Check your email" }).waitFor();
  await screen.audit();
  screen.goto(await readMailedPath(email, "reset-password"));
  await newPassword(screen).fill("a sentence to remember");
  await screen.audit();
  await press(screen, "Save and continue");
  await waitForScreen(screen);
  await signIn(app, email, "a sentence to remember");
});

test("a session that ended returns to the same screen", async () => {
  const screen = await openScreen(app, "/checks/new?x=1");
  await waitForScreen(screen);
  // Without a click: the event stream ends with the session, and the page notices.
  assert.equal((await app.call("DELETE", "/v1/sessions")).status, 204);
  await screen.getByRole("heading", { name: "Sign in to Vedette" }).waitFor();
  app.clock.advance(600_000);
  await signInByHand(screen, "owner@example.com", ownerPassword);
  await waitForScreen(screen);
  assert.equal(screen.address, "/checks/new?x=1");
});

test("used or invalid links, resets and invites explain what to do", async () => {
  const paths = {
    "/reset-password#token=there-is-no-such-token-at-all": null,
    "/reset-password": "Send a new link",
    "/confirm-email": "Open profile",
    "/invite#token=there-is-no-such-token-at-all": "Ask for a new invite",
    "/invite#token=%3Cscript%3E": "Ask for a new invite",
  };
  for (const [path, words] of Object.entries(paths)) {
    const screen = await openScreen(app, path, { role: null });
    if (words === null) {
      await newPassword(screen).fill("a sentence to remember");
      await press(screen, "Save and continue");
    }
    await screen.getByText(words ?? "Send a new link").waitFor();
    await screen.audit();
  }
});

/** Answers of the server that are rare: second factors, limits, and invites for somebody else. */
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import {
  type Part,
  type PartOptions,
  rejectRequest,
  renderPart,
  renderScreen,
} from "../../test/support/components/part.tsx";
import { ApiError } from "../api/api-error.ts";
import { chooseAccount, readChosenAccount } from "../api/chosen-account.ts";
import { Fault } from "./card.tsx";
import { route as confirmRoute } from "./confirm-email-screen.tsx";
import { route as inviteRoute } from "./invite-screen.tsx";
import { type Challenge, inviteQuery, selfOrNobodyQuery, selfQuery, waysQuery } from "./queries.ts";
import { route as resetRoute } from "./reset-password-screen.tsx";
import { SecondFactorStep } from "./second-factor-step.tsx";
import { route as signInRoute } from "./sign-in-screen.tsx";

const token = "t0123456789-0123456789";
const respondOk = () => Response.json({ accountId: "a-9" });

afterEach(() => chooseAccount(null));

/** Adds what a browser with passkeys has, until the end of the test. */
function offerPasskeys(t: { readonly after: (end: () => void) => void }): void {
  const names = ["PublicKeyCredential", "isSecureContext"] as const;
  const before = names.map((name) => Object.getOwnPropertyDescriptor(globalThis, name));
  const values = [class {}, true];
  for (const [index, name] of names.entries()) {
    Object.defineProperty(globalThis, name, { configurable: true, value: values[index] });
  }
  t.after(() => {
    for (const [index, name] of names.entries()) {
      const own = before[index];
      if (own === undefined) Reflect.deleteProperty(globalThis, name);
      else Object.defineProperty(globalThis, name, own);
    }
  });
}

const error = (facts: Partial<ConstructorParameters<typeof ApiError>[0]>) =>
  new ApiError({ kind: "rejected", message: "", status: 400, ...facts });

test("an error names the field as its label does, and keeps other messages", () => {
  const shown = (facts: Parameters<typeof error>[0]) => <Fault error={error(facts)} />;
  const part = renderPart(shown({ message: "newPassword must have at least 10 characters" }));
  assert.equal(part.readText(), "The password must have at least 10 characters.");
  part.rerender(shown({ message: "The link has expired." }));
  assert.equal(part.readText(), "The link has expired.");
});

test("too many attempts name the wait in whole minutes, rounded up", () => {
  const limited = (retryAfterSeconds: number | null) => (
    <Fault error={error({ status: 429, retryAfterSeconds, message: "slow down" })} />
  );
  const part = renderPart(limited(61));
  assert.match(part.readText(), /Try again in 2 min/);
  part.rerender(limited(null));
  assert.match(part.readText(), /Try again in 1 min/);
});

test("only an error of the server shows the id of the request", () => {
  const part = renderPart(
    <Fault error={error({ kind: "failed", status: 500, requestId: "r-1" })} />,
  );
  assert.match(part.readText(), /r-1/);
  part.rerender(<Fault error={error({ requestId: "r-2" })} />);
  assert.equal(part.readText().includes("r-2"), false);
  part.rerender(<Fault error={new TypeError("x is undefined")} />);
  assert.equal(part.readText(), "Something went wrong. Retry.");
  part.rerender(<Fault error={null} />);
  assert.equal(part.readText(), "");
});

const challenge = (...methods: Challenge["methods"]): Challenge => ({
  challengeToken: "c-1",
  methods,
});

const renderStep = (methods: Challenge["methods"], options: PartOptions = {}) => {
  let signedIn = 0;
  const step = (
    <SecondFactorStep
      challenge={challenge(...methods)}
      onSignedIn={() => {
        signedIn += 1;
      }}
    />
  );
  return { part: renderPart(step, options), count: () => signedIn };
};

test("an authenticator code comes first, and a recovery code is one click away", async () => {
  const { part, count } = renderStep(["TOTP", "RECOVERY_CODE"], { respond: respondOk });
  await part.getByLabel("Code from your authenticator app").waitFor();
  await part.getByRole("button", { name: "Use a recovery code" }).click();
  await part.getByLabel("Recovery code").fill("abcd-efgh");
  await part.getByRole("button", { name: "Use an authenticator code" }).click();
  const code = part.getByLabel("Code from your authenticator app");
  assert.equal(await code.inputValue(), "", "one code is not sent as the other");
  await code.fill("123456");
  await part.getByRole("button", { name: "Sign in" }).click();
  await part.getByLabel("Code from your authenticator app").waitFor();
  assert.deepEqual(part.sent[0]?.body, {
    challengeToken: "c-1",
    method: "TOTP",
    code: "123456",
  });
  assert.equal(count(), 1);
});

test("a wrong code is reported, and signs nobody in", async () => {
  const { part, count } = renderStep(["TOTP"], {
    respond: () => rejectRequest(400, "The code is wrong or was used before."),
  });
  await part.getByLabel("Code from your authenticator app").fill("000000");
  await part.getByRole("button", { name: "Sign in" }).click();
  await part.getByText("The code is wrong or was used before.").waitFor();
  assert.equal(count(), 0);
  assert.equal(part.getByRole("button", { name: "Use a recovery code" }).count(), 0);
});

test("without passkeys in the browser, a user with a passkey needs a recovery code", async () => {
  const { part } = renderStep(["PASSKEY", "RECOVERY_CODE"]);
  await part.getByLabel("Recovery code").waitFor();
  assert.equal(part.getByRole("button", { name: /passkey/ }).count(), 0);
});

test("with passkeys in the browser, no code is asked for first", async (t) => {
  offerPasskeys(t);
  const { part } = renderStep(["PASSKEY", "RECOVERY_CODE"]);
  await part.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
  assert.equal(part.getByRole("textbox").count(), 0);
  await part.getByRole("button", { name: "Use a recovery code" }).click();
  await part.getByLabel("Recovery code").waitFor();
});

test("a passkey that the user cancels is no error of the server", async (t) => {
  offerPasskeys(t);
  const { part, count } = renderStep(["PASSKEY"], {
    respond: () => Response.json({ options: { challenge: "AA" }, optionsToken: "o-1" }),
  });
  await part.getByRole("button", { name: "Sign in with a passkey" }).click();
  await part.getByText(/^Passkey sign-in was cancelled/).waitFor();
  assert.deepEqual(part.sent[0]?.body, { challengeToken: "c-1" });
  assert.equal(count(), 0);
});

const invite = (more: object = {}) => ({
  email: "ada@example.com",
  accountName: "Acme",
  inviterEmail: "owner@example.com",
  role: "READ_WRITE",
  isKnown: true,
  ...more,
});

const renderInvite = (
  { self = null, more = {} }: { readonly self?: object | null; readonly more?: object },
  options: PartOptions = {},
) =>
  renderScreen(inviteRoute, {
    ...options,
    hash: `#token=${token}`,
    data: [
      [inviteQuery(token).queryKey, invite(more)],
      [selfOrNobodyQuery.queryKey, self],
    ],
  });

test("a signed-in user joins with one click, whatever the letter case of the address", async () => {
  const part = await renderInvite({ self: { email: "Ada@Example.com" } }, { respond: respondOk });
  await part.getByText(/owner@example\.com invited you/).waitFor();
  await part.getByRole("button", { name: "Join Acme" }).click();
  await part.getByRole("button", { name: "Join Acme" }).waitFor({ state: "hidden" });
  assert.deepEqual([part.sent[0]?.path, part.sent[0]?.body], ["/v1/invites/join", { token }]);
  assert.equal(readChosenAccount(), "a-9", "the account that was joined is opened");
});

test("an invite for somebody else can only be signed out of", async () => {
  const part = await renderInvite(
    { self: { email: "eve@example.com" } },
    { respond: () => rejectRequest(500, "It broke.") },
  );
  await part.getByText(/for ada@example\.com, and you are signed in as eve@/).waitFor();
  assert.equal(part.getByRole("button", { name: /^Join/ }).count(), 0);
  await part.getByRole("button", { name: "Sign out" }).click();
  await part.getByText("It broke.").waitFor();
  assert.equal(part.sent[0]?.method, "DELETE");
});

test("a known person signs in with the address of the invite, which cannot be changed", async () => {
  const part = await renderInvite({});
  const email = part.getByLabel("Email");
  assert.equal(await email.inputValue(), "ada@example.com");
  assert.notEqual(await email.getAttribute("readonly"), null);
});

test("signing in to join may need a second factor", async () => {
  const part = await renderInvite(
    {},
    {
      respond: () => Response.json({ challengeToken: "c-2", methods: ["RECOVERY_CODE"] }),
    },
  );
  await part.getByRole("textbox", { name: "Password" }).fill("correct horse");
  await part.getByRole("button", { name: "Sign in" }).click();
  await part.getByLabel("Recovery code").waitFor();
  assert.equal(part.getByRole("textbox", { name: "Password" }).count(), 0);
});

test("a new person chooses a password, and a blank name is not sent", async () => {
  const part = await renderInvite({ more: { isKnown: false } }, { respond: respondOk });
  await part.getByLabel("Your name").fill("   ");
  await part.getByRole("textbox", { name: "New password" }).fill("correct horse battery");
  await part.getByRole("button", { name: "Join Acme" }).click();
  await part.getByRole("button", { name: "Join Acme" }).waitFor({ state: "hidden" });
  assert.deepEqual(part.sent[0]?.body, { token, password: "correct horse battery" });
  assert.equal(readChosenAccount(), "a-9");
});

const expectAddressless = async (part: Part, text: RegExp) => {
  await part.getByText(text).waitFor();
  assert.equal(part.getByRole("textbox").count(), 0);
  assert.deepEqual(part.sent, []);
};

test("a link without its token is invalid, and sends nothing", async () => {
  await expectAddressless(await renderScreen(inviteRoute), /Ask for a new invite/);
});

test("a reset without its token leads to a new one", async () => {
  const part = await renderScreen(resetRoute, { hash: "#token=short" });
  await expectAddressless(part, /A reset link works once/);
  const href = await part.getByRole("link").getAttribute("href");
  assert.match(href ?? "", /^\/sign-in\?step=forgotten/);
});

test("a reset asks for the second factor before it opens the application", async () => {
  const part = await renderScreen(resetRoute, {
    hash: `#token=${token}`,
    respond: () => Response.json({ challengeToken: "c-3", methods: ["TOTP"] }),
  });
  await part.getByRole("textbox", { name: "New password" }).fill("correct horse battery");
  await part.getByRole("button", { name: "Save and continue" }).click();
  await part.getByLabel("Code from your authenticator app").waitFor();
  assert.deepEqual(part.sent[0]?.body, { token, newPassword: "correct horse battery" });
});

test("a reset that was used meanwhile is reported as used", async () => {
  const part = await renderScreen(resetRoute, {
    hash: `#token=${token}`,
    respond: () => rejectRequest(404, "Not found."),
  });
  await part.getByRole("textbox", { name: "New password" }).fill("correct horse battery");
  await part.getByRole("button", { name: "Save and continue" }).click();
  await part.getByText(/A reset link works once/).waitFor();
});

test("opening the link of a new address does not confirm it; a click does", async () => {
  const part = await renderScreen(confirmRoute, {
    hash: `#token=${token}`,
    data: [[selfOrNobodyQuery.queryKey, { pendingEmail: "new@example.com" }]],
    respond: () => rejectRequest(404, "Not found."),
  });
  await part.getByText("Your new address is new@example.com.").waitFor();
  assert.equal(part.sent.length, 0);
  await part.getByRole("button", { name: "Confirm address" }).click();
  await part.getByText(/only works for the user who requested it/).waitFor();
  assert.deepEqual(part.sent[0]?.body, { token });
});

const renderSignIn = (
  step: string,
  data: PartOptions["data"] & object,
  options: PartOptions = {},
) => renderScreen(signInRoute, { ...options, search: { step }, data });

test("the address of the first owner is saved once, although the password is rejected", async () => {
  let rejected = 0;
  const part = await renderSignIn(
    "password",
    [[selfQuery.queryKey, { isEmailPlaceholder: true, hasPassword: false }]],
    {
      respond: ({ path }) => {
        if (path.endsWith("/email")) return Response.json({ pendingEmail: null });
        rejected += 1;
        return rejectRequest(400, "newPassword is among the most common passwords");
      },
    },
  );
  await part.getByLabel("Your email address").fill(" me@example.com ");
  const password = part.getByRole("textbox", { name: "New password" });
  const save = part.getByRole("button", { name: "Save and continue" });
  await password.fill("password1234");
  await save.click();
  await part.getByText("The password is among the most common passwords.").waitFor();
  await password.fill("password12345");
  await save.click();
  await part.getByText("The password is among the most common passwords.").waitFor();
  const paths = part.sent.map(({ path }) => path);
  assert.equal(paths.filter((path) => path.endsWith("/email")).length, 1);
  assert.equal(rejected >= 1, true);
  assert.deepEqual(part.sent[0]?.body, { email: "me@example.com" });
});

test("a user with a password may keep it", async () => {
  const part = await renderSignIn("password", [
    [selfQuery.queryKey, { email: "a@example.com", hasPassword: true }],
  ]);
  await part.getByRole("heading", { name: "Choose a new password" }).waitFor();
  await part.getByRole("button", { name: "Keep current password" }).click();
  assert.deepEqual(part.sent, []);
});

test("a server without mail shows the command instead of a form", async () => {
  const part = await renderSignIn("forgotten", [[waysQuery.queryKey, { passwordReset: false }]]);
  await part.getByText(/sign-in-link/).waitFor();
  assert.equal(part.getByRole("textbox").count(), 0);
});

test("a requested reset does not reveal whether the user exists", async () => {
  const part = await renderSignIn("forgotten", [[waysQuery.queryKey, { passwordReset: true }]], {
    respond: () => new Response(null, { status: 202 }),
  });
  await part.getByLabel("Email").fill("nobody@example.com");
  await part.getByRole("button", { name: "Send link" }).click();
  await part.getByText(/^If a user with this address exists/).waitFor();
});

const ways = (more: object = {}) => ({
  oidc: null,
  passkey: { isUsable: true },
  passwordReset: true,
  ...more,
});

test("a provider is offered with the address to return to", async () => {
  const oidc = { name: "Okta", path: "/v1/sessions/oidc" };
  const part = await renderScreen(signInRoute, {
    search: { return: "/checks?q=a b" },
    data: [[waysQuery.queryKey, ways({ oidc })]],
  });
  const href = await part.getByRole("link", { name: "Sign in with Okta" }).getAttribute("href");
  assert.equal(new URL(href ?? "", "http://x").searchParams.get("return"), "/checks?q=a b");
});

test("a passkey is offered only if the server and the browser support it", async (t) => {
  offerPasskeys(t);
  const part = await renderScreen(signInRoute, {
    data: [[waysQuery.queryKey, ways({ passkey: { isUsable: false } })]],
  });
  await part.getByLabel("Email").waitFor();
  assert.equal(part.getByRole("button", { name: /passkey/ }).count(), 0);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  rejectRequest,
  renderScreen,
  type SentRequest,
} from "../../../test/support/components/part.tsx";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { channelKindsQuery } from "../queries.ts";
import { route } from "./contact-methods-screen.tsx";
import { contactMethodsQuery, notificationRulesQuery } from "./queries.ts";

const method = (id: string, change: object = {}) => ({
  id,
  type: "NTFY",
  name: `ntfy ${id} at ntfy.sh`,
  config: {},
  isBuiltIn: false,
  isVerified: true,
  problem: null,
  created_at: null,
  updated_at: null,
  ...change,
});
const push = method("push", {
  type: "WEBPUSH",
  isBuiltIn: true,
  problem: "No device receives push messages.",
});
const email = method("email", { type: "EMAIL", name: "ada@example.com", isBuiltIn: true });
const atOnce = [
  { methodId: "push", afterMinutes: 0 },
  { methodId: "email", afterMinutes: 0 },
];
const stored = { high: atOnce, low: atOnce };
const preferencesPath = "on-call-preferences";
const preferences = { timezone: null, handoffMail: true, reminderMinutes: null };

type Answers = Readonly<Record<string, (request: SentRequest) => Response>>;

const respondWith =
  (answers: Answers) =>
  (request: SentRequest): Response => {
    const name = `${request.method} ${request.path.replace("/v1/users/me/", "")}`;
    const found = answers[name];
    if (found !== undefined) return found(request);
    if (name === "GET notification-rules") {
      return Response.json(stored, { headers: { etag: '"1"' } });
    }
    if (name === `GET ${preferencesPath}`) {
      return Response.json(preferences, { headers: { etag: '"p"' } });
    }
    throw new TypeError(`${name} has no response.`);
  };

const open = (methods: readonly object[], answers: Answers = {}) =>
  renderScreen(route, {
    fetches: true,
    data: [
      [contactMethodsQuery.queryKey, methods],
      [notificationRulesQuery.queryKey, { data: stored, etag: '"1"', total: null }],
      [["about"], { canSend: { mail: true, textMessages: false } }],
      [
        channelKindsQuery.queryKey,
        [
          {
            type: "NTFY",
            configSchema: {
              properties: { topic: { type: "string" } },
              required: ["topic"],
            },
            secretFields: [],
          },
        ],
      ],
    ],
    respond: respondWith(answers),
  });

test("built-in methods show whether they work and cannot be removed", async () => {
  const part = await open([push, email, method("ada", { isVerified: false })]);
  const [first = [], second = [], third = []] = part.readRows();
  assert.match(first[0] ?? "", /Push to all of your devices/);
  assert.match(first[1] ?? "", /No device/);
  assert.match(second[0] ?? "", /Email to ada@example.com/);
  assert.equal(second[1], "Ready");
  assert.match(third[1] ?? "", /Not verified/);
  assert.equal(part.getByRole("button", { name: /^Remove / }).count(), 1);
  assert.equal(part.getByLabel("Code").count(), 0, "no code was sent");
});

test("a test of an unverified method asks for its code, and a wrong one is explained", async () => {
  const sent = { outcome: "sent", statusCode: 200, reason: null, hasCode: true, durationMs: 5 };
  const wrong = {
    statusCode: 400,
    error: "Bad Request",
    message: "code is not the code of the newest test message",
    validation: { source: "body", keys: ["code"] },
  };
  const part = await open([email, method("ada", { isVerified: false })], {
    "POST contact-methods/ada/test": () => Response.json(sent),
    "POST contact-methods/ada/verify": ({ body }) =>
      (body as { code: string }).code === "042137"
        ? Response.json(method("ada"))
        : Response.json(wrong, { status: 400 }),
    "GET contact-methods": () => Response.json([email, method("ada")]),
  });
  await part.getByRole("button", { name: "Send test: ntfy ada at ntfy.sh" }).click();
  await part.getByText("The test was delivered.").waitFor();
  await part.getByLabel("Code").fill("1");
  await part.getByRole("button", { name: "Confirm" }).click();
  await part.getByText(/is not the code of the newest test message/).waitFor();
  await part.getByLabel("Code").fill("042137");
  await part.getByRole("button", { name: "Confirm" }).click();
  await part.getByText("Ready").nth(1).waitFor();
});

test("a test that fails shows why", async () => {
  const reason = "No SMTP server is configured.";
  const failed = { outcome: "failed", statusCode: null, reason, hasCode: false, durationMs: 1 };
  const part = await open([email], {
    "POST contact-methods/email/test": () => Response.json(failed),
  });
  await part.getByRole("button", { name: "Send test: Email to ada@example.com" }).click();
  await part.getByText("The test was not delivered.").waitFor();
  await part.getByText(reason).waitFor();
});

test("a new method is created and sent a code at once", async () => {
  const made = method("new", { isVerified: false });
  const sent = { outcome: "sent", statusCode: 200, reason: null, hasCode: true, durationMs: 5 };
  const part = await open([email], {
    "POST contact-methods": () => Response.json(made, { status: 201 }),
    "POST contact-methods/new/test": () => Response.json(sent),
    "GET contact-methods": () => Response.json([email, made]),
  });
  await part.getByRole("button", { name: "Add a contact method" }).click();
  assert.equal(part.getByRole("option", { name: "SMS" }).count(), 0, "there is no gateway");
  await part.getByLabel("Topic").fill("ada");
  await part.getByRole("button", { name: "Add and send code" }).click();
  await part.getByLabel("Code").waitFor();
  const body = part.sent.find(({ method: verb }) => verb === "POST")?.body;
  assert.deepEqual(body, { type: "NTFY", config: { topic: "ada" } });
});

test("rules read as sentences while they are edited, and are saved with their tag", async () => {
  const part = await open([push, email, method("ada")], {
    "PUT notification-rules": ({ body }) => Response.json(body, { headers: { etag: '"2"' } }),
  });
  await part.getByRole("button", { name: /^Add step: Urgent/ }).click();
  await part.getByText("After 5 minutes without acknowledgement: ntfy ada at ntfy.sh.").waitFor();
  await part.getByRole("button", { name: "Save rules" }).click();
  const find = () => part.sent.find(({ method: verb }) => verb === "PUT");
  await waitUntil("the rules are sent", () => find() !== undefined);
  assert.deepEqual(find()?.body, {
    high: [...atOnce, { methodId: "ada", afterMinutes: 5 }],
    low: atOnce,
  });
  assert.equal(find()?.headers.get("if-match"), '"1"');
});

test("pages are held in quiet hours, urgent ones too if chosen, and errors are at the field", async () => {
  const part = await open([push, email], {
    "PUT notification-rules": () =>
      rejectRequest(400, "Rejected.", { "quietHours.ranges.0.from": "must be a time" }),
  });
  await part.getByLabel("Hold pages that are not urgent at certain times").click();
  await part.getByLabel("Hold urgent pages too").click();
  await part.getByRole("button", { name: "Save rules" }).click();
  const find = () => part.sent.find(({ method: verb }) => verb === "PUT");
  await waitUntil("the rules are sent", () => find() !== undefined);
  const body = find()?.body as { readonly quietHours: Record<string, unknown> } | undefined;
  const quietHours = body?.quietHours ?? {};
  assert.equal(quietHours.holdsHigh, true);
  assert.deepEqual(Object.keys(quietHours).sort(), ["holdsHigh", "ranges", "timeZone"]);
  await waitUntil(
    "the field is marked",
    async () => (await part.getByLabel("From").getAttribute("aria-invalid")) === "true",
  );
});

test("a reminder and the handoff mail are saved with the version that was shown", async () => {
  const body = { timezone: null, handoffMail: false, reminderMinutes: 60 };
  const part = await open([push, email], {
    [`PUT ${preferencesPath}`]: () => Response.json(body, { headers: { etag: '"q"' } }),
  });
  await part.getByLabel("Mail at each handoff to me").uncheck();
  await part.getByLabel("Reminder before my shift").selectOption("1 hour before");
  await part.getByRole("button", { name: "Save", exact: true }).click();
  await waitUntil("it is sent", () => part.sent.some(({ method: verb }) => verb === "PUT"));
  const sent = part.sent.find(({ method: verb }) => verb === "PUT");
  assert.deepEqual(sent?.body, body);
});

/** Renders every mail of the product with short, long and hostile texts. */
import type { AlertMessage } from "../../../src/channels/alert-channels/alert-text.ts";
import { emailKind } from "../../../src/channels/alert-channels/kinds/email.ts";
import { renderInviteMail, renderResetMail } from "../../../src/pages/mails/account-mails.ts";
import { renderHandoffMail, renderShiftReminderMail } from "../../../src/pages/mails/shift-mail.ts";
import {
  renderConfirmMail,
  renderNoticeMail,
  renderReminderMail,
  type SubscriberNotice,
} from "../../../src/pages/status-page/subscriber-notice.ts";
import type { Mailer } from "../../../src/platform/mail.ts";
import type { MailText } from "../../../src/platform/text/mail-text.ts";
import { createAlertMessage, createSendTools, hostileName } from "./alert-message.ts";

export interface SampleMail {
  readonly name: string;
  readonly mail: MailText;
}

const long =
  "Checkout of the shop in Frankfurt, from the basket to the confirmation of the payment, ";
/**
 * Sample names: a short name, a name without a break opportunity, and a hostile name with
 * right-to-left text.
 */
const words = {
  short: "Acme",
  long: `${long}${"x".repeat(120)}`,
  hostile: `${hostileName} \u05d7\u05e0\u05d5\u05ea \u05d4\u05e1\u05e4\u05e8\u05d9\u05dd`,
} as const;

const link = (path: string) => `https://vedette.example/${path}/${"k".repeat(43)}`;
const links = { manageUrl: link("manage"), unsubscribeUrl: link("unsubscribe") };

function listShiftMails(how: string, name: string): SampleMail[] {
  const shift = {
    ...{ scheduleName: name, nextName: name, scheduleUrl: link("on-call"), alertsUrl: link("a") },
    from: "Mon 23 Nov 17:00 (Mon 23 Nov 09:00 Europe/Berlin)",
    until: "Mon 30 Nov 17:00 (Mon 30 Nov 09:00 Europe/Berlin)",
    settingsUrl: link("settings"),
  };
  const facts = [
    [name, "since Mon 23 Nov 08:12 (Europe/Berlin), acknowledged by ada@example.com"],
    ["Shop", "is degraded, Sun 22 Nov 03:10 (Europe/Berlin)"],
  ] as const;
  const lists = { open: facts, fired: facts, openCount: "2 open alerts", firedCount: "2 alerts" };
  const since = "Mon 16 Nov 17:00 (Mon 16 Nov 09:00 Europe/Berlin)";
  return [
    {
      name: `handoff-${how}`,
      mail: renderHandoffMail({ ...shift, ...lists, previousName: name, since }),
    },
    { name: `shift-reminder-${how}`, mail: renderShiftReminderMail(shift) },
  ];
}

/** Renders an alert mail with the code of the email channel. A fake mailer records the content. */
async function writeAlert(changes: Partial<AlertMessage>): Promise<MailText> {
  let kept: MailText | undefined;
  const mailer: Mailer = {
    send: async ({ content }) => {
      kept = content;
      return { kind: "sent" };
    },
    close: () => {},
  };
  const config = { address: "ops@example.com" };
  await emailKind.send(createAlertMessage(changes), config, createSendTools({ mailer }));
  if (kept === undefined) throw new Error("no mail was sent");
  return kept;
}

function writeNotice(changes: Partial<SubscriberNotice>): MailText {
  const notice: SubscriberNotice = {
    pageName: "Acme status",
    kind: "incident",
    title: "Payments fail",
    status: "Investigating",
    severity: "MAJOR",
    body: "Cards are **declined**. We are looking into it.\n\n- Cards\n- [Wallets](https://example.com/w)",
    services: ["Checkout", "Wallets"],
    at: new Date("2026-11-15T12:00:00Z"),
    url: "https://vedette.example/status/acme/incidents/1",
    ...changes,
  };
  return renderNoticeMail(notice, links);
}

async function listAlerts(): Promise<readonly SampleMail[]> {
  const { long: name, hostile } = words;
  const over = { alertUrl: null, resultUrl: null, acknowledgeUrl: null };
  const certificate = {
    ...{ host: "shop.example", issuer: "Example CA", daysLeft: 12 },
    expiresAt: "2026-11-27T12:00:00.000Z",
  };
  const all = {
    "alert-failing": {},
    "alert-degraded": { kind: "ALERT_DEGRADED", title: "Web is degraded" },
    "alert-recovered": { kind: "ALERT_RECOVERY", title: "Web has recovered", ...over },
    "alert-certificate": { kind: "ALERT_SSL", title: "A certificate expires soon", certificate },
    "alert-test": { kind: "ALERT_TEST", title: "Test of a channel", ...over },
    "alert-long": { title: name, reason: name, checkName: name, target: name, tags: [name] },
    "alert-hostile": { title: hostile, reason: hostile, checkName: hostile, groupName: hostile },
  } as const;
  return Promise.all(
    Object.entries(all).map(async ([of, changes]) => ({
      name: of,
      mail: await writeAlert(changes),
    })),
  );
}

function listNotices(): readonly SampleMail[] {
  const { long: name, hostile } = words;
  const manyServices = Array.from({ length: 60 }, (_, index) => `Service ${index + 1}`);
  const resolved = { status: "Resolved", body: "It is over." };
  const planned = { kind: "maintenance", severity: null, title: "Router upgrade" } as const;
  const all: Readonly<Record<string, MailText>> = {
    "incident-new": writeNotice({}),
    "incident-resolved": writeNotice(resolved),
    "incident-long": writeNotice({
      title: name,
      body: `${long.repeat(150)}`,
      services: manyServices,
    }),
    "incident-hostile": writeNotice({
      ...{ pageName: hostile, title: hostile, body: hostile, services: [hostile] },
    }),
    "incident-endless": writeNotice({ body: "&<x> **b** ".repeat(3_000) }),
    "maintenance-planned": writeNotice({ ...planned, status: "Scheduled", body: "Short pauses." }),
    "maintenance-over": writeNotice({ ...planned, status: "Completed", body: "", services: [] }),
  };
  return Object.entries(all).map(([of, mail]) => ({ name: of, mail }));
}

export async function listSampleMails(): Promise<readonly SampleMail[]> {
  const publicUrl = "https://vedette.example";
  const others = Object.entries(words).flatMap(([how, name]): readonly SampleMail[] => {
    const reset = { url: link("reset"), address: "2001:db8::1", publicUrl };
    const invite = { url: link("invite"), accountName: name, inviter: name, publicUrl };
    const role = "see everything and change nothing";
    return [
      { name: `confirm-${how}`, mail: renderConfirmMail(name, link("confirm"), link("remove")) },
      { name: `reminder-${how}`, mail: renderReminderMail(name, links) },
      ...listShiftMails(how, name),
      { name: `invite-${how}`, mail: renderInviteMail({ ...invite, role, daysValid: 7 }) },
      ...(how === "short" ? [{ name: "reset", mail: renderResetMail(reset) }] : []),
    ];
  });
  return [...(await listAlerts()), ...listNotices(), ...others];
}

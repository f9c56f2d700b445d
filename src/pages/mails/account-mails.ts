/** Mails about access to an account: password reset, invitation, change of email address. */
import type { MailText } from "../../platform/text/mail-text.ts";
import { renderMail } from "./layout.ts";

const sender = "Vedette";

export function renderResetMail(reset: {
  readonly url: string;
  /** IP address of the client that requested the password reset. */
  readonly address: string;
  readonly publicUrl: string;
}): MailText {
  const { url, address, publicUrl } = reset;
  const why = `A password reset was requested for your account on ${publicUrl}.`;
  return renderMail({
    sender,
    subject: "Choose a new password for Vedette",
    title: "Choose a new password",
    preview: why,
    parts: [
      { kind: "text", words: why },
      {
        kind: "text",
        words: "The link works once, within an hour. A new password ends all your sessions.",
      },
    ],
    action: { words: "Choose a new password", url },
    footer: {
      words:
        `The request came from ${address}. If you did not request this, ignore this mail: ` +
        "your password stays unchanged.",
    },
  });
}

/** Renders the mail that asks for confirmation of a user's new email address. */
export function renderEmailChangeMail(change: {
  readonly url: string;
  /** Current email address of the user. */
  readonly from: string;
  readonly publicUrl: string;
}): MailText {
  const { url, from, publicUrl } = change;
  const why = `The user ${from} on ${publicUrl} wants to use this email address.`;
  return renderMail({
    sender,
    subject: "Confirm your email address for Vedette",
    title: "Confirm your email address",
    preview: why,
    parts: [
      { kind: "text", words: why },
      { kind: "text", words: "The link works once, within 24 hours, while you are signed in." },
    ],
    action: { words: "Confirm this address", url },
    footer: {
      words: "If you did not request this, ignore this mail: the address will not be used.",
    },
  });
}

/** Renders the mail to a user's previous email address, so that the user notices a takeover. */
export function renderEmailChangedMail(change: {
  readonly to: string;
  readonly publicUrl: string;
}): MailText {
  const { to, publicUrl } = change;
  const why = `Your email address on ${publicUrl} is now ${to}.`;
  return renderMail({
    sender,
    subject: "Your email address for Vedette has changed",
    title: "Your email address has changed",
    preview: why,
    parts: [{ kind: "text", words: why }],
    action: { words: "Open Vedette", url: publicUrl },
    footer: { words: "If you did not change it, contact an owner of the account at once." },
  });
}

interface InviteWords {
  readonly url: string;
  readonly accountName: string;
  readonly inviter: string;
  /** Human-readable description of the granted permissions. */
  readonly role: string;
  readonly publicUrl: string;
  readonly daysValid: number;
}

export function renderInviteMail(invite: InviteWords): MailText {
  const { url, accountName, inviter, role, publicUrl, daysValid } = invite;
  const why = `${inviter} invites you to ${accountName} on ${publicUrl}. You may ${role}.`;
  return renderMail({
    sender,
    subject: `${inviter} invites you to ${accountName}`,
    title: `Join ${accountName}`,
    preview: why,
    parts: [
      { kind: "text", words: why },
      { kind: "text", words: `The link works once, within ${daysValid} days.` },
    ],
    action: { words: "Accept the invite", url },
    footer: { words: `You receive this mail because ${inviter} invited your address.` },
  });
}

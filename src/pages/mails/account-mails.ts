/** Mails about getting in: a forgotten password, an invite. */
import type { MailText } from "../../platform/text/mail-text.ts";
import { renderMail } from "./layout.ts";

const sender = "Vedette";

export function renderResetMail(reset: {
  readonly url: string;
  /** Where the request came from. */
  readonly address: string;
  readonly publicUrl: string;
}): MailText {
  const { url, address, publicUrl } = reset;
  const why = `Somebody, most likely you, has forgotten the password for ${publicUrl}.`;
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
        `The request came from ${address}. If it was not you, do nothing: ` +
        "your password stays as it is.",
    },
  });
}

export interface InviteWords {
  readonly url: string;
  readonly accountName: string;
  readonly inviter: string;
  /** What they may do, in words. */
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
    footer: { words: `You get this mail because ${inviter} typed your address.` },
  });
}

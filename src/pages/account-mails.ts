/** Mails about getting in: a forgotten password, an invite. */
import { html } from "./html.ts";
import { type MailText, renderMailButton, renderMailFrame } from "./mail-frame.ts";

export function renderResetMail(reset: {
  readonly url: string;
  /** Where the request came from. */
  readonly address: string;
  readonly publicUrl: string;
}): MailText {
  const { url, address, publicUrl } = reset;
  const title = "Choose a new password";
  const why = `Somebody, most likely you, has forgotten the password for ${publicUrl}.`;
  const limits = "The link works once, within an hour. A new password ends all your sessions.";
  const ignore =
    `The request came from ${address}. If it was not you, do nothing: ` +
    "your password stays as it is.";
  return {
    subject: "Choose a new password for Vedette",
    text: `${title}\n\n${why}\nChoose a new one: ${url}\n\n${limits}\n\n-- \n${ignore}\n`,
    html: renderMailFrame(
      title,
      html`<p>${why}</p><p>${renderMailButton(url, "Choose a new password")}</p><p>${limits}</p>`,
      html`${ignore}`,
    ),
  };
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
  const title = `Join ${accountName}`;
  const why = `${inviter} invites you to ${accountName} on ${publicUrl}. You may ${role}.`;
  const limits = `The link works once, within ${daysValid} days.`;
  const ignore = `You get this mail because ${inviter} typed your address.`;
  return {
    subject: `${inviter} invites you to ${accountName}`,
    text: `${title}\n\n${why}\nAccept: ${url}\n\n${limits}\n\n-- \n${ignore}\n`,
    html: renderMailFrame(
      title,
      html`<p>${why}</p><p>${renderMailButton(url, "Accept the invite")}</p><p>${limits}</p>`,
      html`${ignore}`,
    ),
  };
}

import type { ListMembersData } from "../tool-shapes/directory-data.ts";
import { type Situation, thingsOf } from "./situation.ts";
import { formatTime, quote, writeCount } from "./wording.ts";

const maxListed = 25;

type Member = ListMembersData["members"][number];

const roleWords: Readonly<Record<Member["role"], string>> = {
  OWNER: "may do everything",
  ADMIN: "may change everything and invite people",
  READ_WRITE: "may change checks, alerts and pages",
  READ_RUN: "may look at everything and run checks",
  READ_ONLY: "may look at everything and change nothing",
};

const rights: readonly (readonly [RegExp, string, (member: Member) => boolean])[] = [
  [/\bown(?:s|ers?)?\b/, "owns the account", ({ role }) => role === "OWNER"],
  [
    /\badmin|\binvite (?:people|somebody|others|users)|\bmanage\b/,
    "may invite people and change roles",
    ({ mayManage }) => mayManage,
  ],
  [/\bread only\b/, "may change nothing", ({ role }) => role === "READ_ONLY"],
  [/\b(?:run|ack|acknowledge)\b/, "may run checks and acknowledge alerts", ({ mayRun }) => mayRun],
  [
    /\b(?:change|edit|write|delete|create|mute|modify|post|update)\b/,
    "may change things",
    ({ mayWrite }) => mayWrite,
  ],
];

/** Members, their roles and what they may do, and open invites. */
export async function answerMembers({ answer, lookup, slots }: Situation): Promise<void> {
  const found = await lookup("list_members", {});
  if (found === null) return;
  const { members, invites } = found.data;
  const cited = answer.cite(found);
  const write = ({ name, email, role }: Member) =>
    `${name === null ? quote(email) : `${quote(name)} (${quote(email)})`}: ${role}, ${roleWords[role]}.${cited}`;
  const isAboutInvites = /\binvit(?:es?|ed|ations?)\b/.test(slots.text);
  const right = rights.find(([pattern]) => pattern.test(slots.text));
  const ids = thingsOf(slots, "member").map(({ id }) => id);
  const named = members.filter(({ memberId }) => ids.includes(memberId));
  if (named.length > 0) {
    const isQuestion = /^(?:can|may|could|is|has|does)\b/.test(slots.text) && right !== undefined;
    for (const member of named)
      answer.line(`${isQuestion ? (right[2](member) ? "Yes: " : "No: ") : ""}${write(member)}`);
    return;
  }
  const isOnlyInvites = isAboutInvites && !/\bcan\b|\bmay\b/.test(slots.text);
  if (!isOnlyInvites) {
    const own = right === undefined ? members : members.filter(right[2]);
    const counted =
      right === undefined
        ? writeCount(own.length, "member")
        : `${own.length} of ${writeCount(members.length, "member")} ${right[1]}`;
    answer.line(`${counted}${own.length === 0 ? "." : ":"}`);
    for (const member of own.slice(0, maxListed)) answer.item(write(member));
  }
  if (right !== undefined && !isOnlyInvites) return;
  answer.line(
    invites.length === 0
      ? `No invite is open.${cited}`
      : `${writeCount(invites.length, "open invite")}:`,
  );
  for (const { email, role, expiresAt } of invites.slice(0, maxListed)) {
    answer.item(`${quote(email)}: ${role}, until ${formatTime(expiresAt)}.${cited}`);
  }
}

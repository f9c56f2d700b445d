import { callTool, type Found, type Plan } from "../../plan.ts";
import type { ListMembersData, MemberData, RoleName } from "../../tools/tool-data.ts";
import { formatTime, quote, writeCount } from "../../wording.ts";
import type { Situation } from "../situation.ts";

/** A permission or role that the question asks about. */
type Right = "run" | "write" | "manage" | "own";

const maxListed = 20;

const rightWords: Readonly<Record<RoleName, string>> = {
  OWNER: "may do everything",
  ADMIN: "may change everything and invite people",
  READ_WRITE: "may change checks, alerts and pages",
  READ_RUN: "may look at everything and run checks",
  READ_ONLY: "may look at everything and change nothing",
};

const asks: Readonly<Record<Right, string>> = {
  run: "may run checks",
  write: "may change things",
  manage: "may invite people and change roles",
  own: "owns the account",
};

function readRight({ intent }: Situation): Right | null {
  const { canonical } = intent;
  const text = intent.text.toLowerCase();
  if (/\bown(?:s|ers?)?\b/.test(text)) return "own";
  if (/\badmin/.test(text)) return "manage";
  const asksMay = /\b(?:can|may|could|allowed|able|permitted)\b/.test(canonical);
  if (asksMay && /\b(?:INVITE|manage)\b/.test(canonical)) return "manage";
  if (asksMay && /\b(?:RUN|ACK)\b/.test(canonical)) return "run";
  const writes = /\b(?:CHANGE|DELETE|CREATE|MUTE|UNMUTE|POST|DRAFT|UPDATE|SETTINGS)\b/;
  if ((asksMay || /\bROLE\b/.test(canonical)) && writes.test(canonical)) return "write";
  return null;
}

function has({ role, mayRun, mayWrite, mayManage }: MemberData, right: Right): boolean {
  return { run: mayRun, write: mayWrite, manage: mayManage, own: role === "OWNER" }[right];
}

function describeMember({ name, email, role }: MemberData): string {
  const who = name === null ? quote(email) : `${quote(name)} (${quote(email)})`;
  return `${who}: ${role}, ${rightWords[role]}.`;
}

/**
 * Lists members with their roles, and open invitations. If the question names members, lists only
 * these members. If the question mentions a permission instead, lists only the members who have the
 * permission.
 */
export function* planPeople(situation: Situation): Plan<void> {
  const { intent, answer } = situation;
  const found = yield* callTool("list_members", {});
  if (found === null) return;
  const right = readRight(situation);
  const ids = intent.subject.things.filter(({ kind }) => kind === "member").map(({ id }) => id);
  const named = found.data.members.filter(({ memberId }) => ids.includes(memberId));
  if (named.length > 0) {
    const isQuestion = /^(?:ALSO )?(?:can|may|could|is|has|does)\b/.test(intent.canonical);
    for (const member of named) {
      const lead = isQuestion && right !== null ? (has(member, right) ? "Yes: " : "No: ") : "";
      answer.line(`${lead}${describeMember(member)}${answer.cite(found)}`);
    }
    return;
  }
  const asksInvites = /\bINVITE\b/.test(intent.canonical) && right === null;
  if (asksInvites) return writeInvites(situation, found);
  writeMembers(situation, found, right);
  if (right === null) writeInvites(situation, found);
}

function writeMembers(
  { answer }: Situation,
  found: Found<ListMembersData>,
  right: Right | null,
): void {
  const { members } = found.data;
  const meant = right === null ? members : members.filter((member) => has(member, right));
  const who = right === null ? "" : ` ${asks[right]}`;
  if (meant.length === 0) {
    answer.line(`No member${who}.${answer.cite(found)}`);
    return;
  }
  const of = right === null ? "" : ` of ${writeCount(members.length, "member")}`;
  const count = right === null ? writeCount(meant.length, "member") : `${meant.length}${of}`;
  answer.line(`${count}${who}:`);
  for (const member of meant.slice(0, maxListed)) {
    answer.item(`${describeMember(member)}${answer.cite(found)}`);
  }
  if (meant.length > maxListed) answer.line(`And ${meant.length - maxListed} more.`);
}

function writeInvites({ answer }: Situation, found: Found<ListMembersData>): void {
  const { invites } = found.data;
  if (invites.length === 0) {
    answer.line(`No invite is open.${answer.cite(found)}`);
    return;
  }
  answer.line(`${writeCount(invites.length, "open invite")}:`);
  for (const { email, role, expiresAt } of invites.slice(0, maxListed)) {
    answer.item(`${quote(email)}: ${role}, until ${formatTime(expiresAt)}.${answer.cite(found)}`);
  }
}

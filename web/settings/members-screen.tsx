import { Button, NativeSelect } from "@mantine/core";
import { useMutation, useQueryClient, useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { useState } from "react";
import { api, type Schemas, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { type Role, useMay, useSession } from "../api/session.ts";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Row, ScreenBody, Stack } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import tableStyles from "../parts/table.module.css";
import textStyles from "../parts/text.module.css";
import { DateTime } from "../parts/time.tsx";
import { InviteDialog, type Invited } from "./invite-dialog.tsx";
import { membersQuery } from "./queries.ts";
import { RoleTable } from "./role-table.tsx";
import styles from "./settings.module.css";
import { words } from "./words.ts";

const own = words.members;
type Member = Schemas["Member"];
type Invite = Schemas["Invite"];
const roleNames: readonly Role[] = ["READ_ONLY", "READ_RUN", "READ_WRITE", "ADMIN", "OWNER"];
const nameOf = ({ name, email }: Member) => name ?? email;

function RoleChoice({ member }: { readonly member: Member }) {
  const { role: ownRole } = useSession();
  const isAdmin = useMay("admin");
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: (role: Role) =>
      send(
        api.PATCH("/v1/accounts/me/members/{userId}", {
          params: { path: { userId: member.userId } },
          body: { role },
        }),
      ),
    onSuccess: () => showNotice({ text: own.roleChanged }),
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
    onSettled: () =>
      Promise.all([renewQueries(queryClient, ["members"]), renewQueries(queryClient, ["session"])]),
  });
  const isOwner = ownRole === "OWNER";
  // Only an owner may grant or change the owner role.
  if (!isAdmin || (member.role === "OWNER" && !isOwner)) return words.roles[member.role];
  const offered = roleNames.filter((role) => role !== "OWNER" || isOwner);
  return (
    <NativeSelect
      aria-label={own.roleOf(nameOf(member))}
      value={change.isPending ? change.variables : member.role}
      disabled={change.isPending}
      onChange={(event) => change.mutate(event.currentTarget.value as Role)}
      data={offered.map((role) => ({ value: role, label: words.roles[role] }))}
    />
  );
}

function RemoveDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      send(
        api.DELETE("/v1/accounts/me/members/{userId}", {
          params: { path: { userId: member.userId } },
        }),
      ),
    onSuccess: async () => {
      onClose();
      showNotice({ text: own.removed });
      await renewQueries(queryClient, ["members"]);
    },
  });
  const who = nameOf(member);
  return (
    <ConfirmDialog
      isOpen
      title={own.removeTitle(who)}
      action={own.remove}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onCancel={onClose}
    >
      <p>{own.removeText(who)}</p>
      {remove.error && <ErrorPanel error={remove.error} />}
    </ConfirmDialog>
  );
}

function People({ members }: { readonly members: readonly Member[] }) {
  const { user, role } = useSession();
  const isAdmin = useMay("admin");
  const [removed, setRemoved] = useState<Member | null>(null);
  return (
    <Stack as="section">
      <h2>{own.people}</h2>
      <table className={`${tableStyles.table} ${styles.people} ${tableStyles.cards}`}>
        <thead>
          <tr>
            <th>{words.profile.name}</th>
            <th>{own.role}</th>
            <th>{own.joined}</th>
            {isAdmin && (
              <th>
                <span className="unseen">{own.remove}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <tr key={member.userId}>
              <td>
                <span>
                  {member.name !== null && <strong>{member.name} </strong>}
                  <span className={member.name === null ? "" : textStyles.muted}>
                    {member.email}
                  </span>
                  {member.userId === user.id && ` (${own.you})`}
                </span>
              </td>
              <td data-label={own.role}>
                <RoleChoice member={member} />
              </td>
              <td data-label={own.joined} className={textStyles.nowrap}>
                <DateTime at={member.createdAt} />
              </td>
              {isAdmin && (
                <td className={textStyles.end}>
                  {(member.role !== "OWNER" || role === "OWNER") && (
                    <Button
                      variant="default"
                      size="xs"
                      aria-label={`${own.remove} ${nameOf(member)}`}
                      onClick={() => setRemoved(member)}
                    >
                      {own.remove}
                    </Button>
                  )}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {removed && <RemoveDialog member={removed} onClose={() => setRemoved(null)} />}
    </Stack>
  );
}

function WithdrawDialog({ invite, onClose }: { invite: Invite; onClose: () => void }) {
  const queryClient = useQueryClient();
  const withdraw = useMutation({
    mutationFn: () =>
      send(
        api.DELETE("/v1/accounts/me/invites/{inviteId}", {
          params: { path: { inviteId: invite.id } },
        }),
      ),
    onSuccess: async () => {
      onClose();
      showNotice({ text: own.withdrawn });
      await renewQueries(queryClient, ["members"]);
    },
  });
  return (
    <ConfirmDialog
      isOpen
      title={own.withdrawTitle(invite.email)}
      action={own.withdraw}
      isBusy={withdraw.isPending}
      onConfirm={() => withdraw.mutate()}
      onCancel={onClose}
    >
      <p>{own.withdrawText}</p>
      {withdraw.error && <ErrorPanel error={withdraw.error} />}
    </ConfirmDialog>
  );
}

interface InviteRowProps {
  readonly invite: Invite;
  readonly isBusy: boolean;
  readonly onAgain: () => void;
  readonly onWithdraw: () => void;
}

function InviteRow({ invite, isBusy, onAgain, onWithdraw }: InviteRowProps) {
  const isAdmin = useMay("admin");
  return (
    <tr>
      <td>
        <span>
          {invite.email}{" "}
          <span className={textStyles.muted}>
            {own.invitedBy} {invite.inviterEmail}
          </span>
        </span>
      </td>
      <td data-label={own.role}>{words.roles[invite.role]}</td>
      <td data-label={own.expires} className={textStyles.nowrap}>
        {invite.status === "EXPIRED" ? own.expired : <DateTime at={invite.expiresAt} />}
      </td>
      {isAdmin && (
        <td className={textStyles.end}>
          <Row as="span">
            <Button
              variant="default"
              size="xs"
              loading={isBusy}
              aria-label={`${own.again} ${invite.email}`}
              onClick={onAgain}
            >
              {own.again}
            </Button>
            <Button
              variant="default"
              size="xs"
              aria-label={`${own.withdraw} ${invite.email}`}
              onClick={onWithdraw}
            >
              {own.withdraw}
            </Button>
          </Row>
        </td>
      )}
    </tr>
  );
}

interface InvitesProps {
  readonly invites: readonly Invite[];
  readonly onAgain: (invited: Invited) => void;
}

function Invites({ invites, onAgain }: InvitesProps) {
  const isAdmin = useMay("admin");
  const queryClient = useQueryClient();
  const [withdrawn, setWithdrawn] = useState<Invite | null>(null);
  const again = useMutation({
    mutationFn: ({ email, role }: Invite) =>
      send(api.POST("/v1/accounts/me/invites", { body: { email, role } })),
    onSuccess: async (invited) => {
      // The members are re-fetched, because the renewed invite has a new id.
      await renewQueries(queryClient, ["members"]);
      onAgain(invited);
    },
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
  });
  if (invites.length === 0) return <p className={textStyles.muted}>{own.noInvites}</p>;
  return (
    <>
      <table className={`${tableStyles.table} ${styles.people} ${tableStyles.cards}`}>
        <thead>
          <tr>
            <th>{own.email}</th>
            <th>{own.role}</th>
            <th>{own.expires}</th>
            {isAdmin && (
              <th>
                <span className="unseen">{own.withdraw}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {invites.map((invite) => (
            <InviteRow
              key={invite.id}
              invite={invite}
              isBusy={again.isPending && again.variables.id === invite.id}
              onAgain={() => again.mutate(invite)}
              onWithdraw={() => setWithdrawn(invite)}
            />
          ))}
        </tbody>
      </table>
      {withdrawn && <WithdrawDialog invite={withdrawn} onClose={() => setWithdrawn(null)} />}
    </>
  );
}

function MembersScreen() {
  const isAdmin = useMay("admin");
  const { data, error, refetch, hasNextPage, fetchNextPage } =
    useSuspenseInfiniteQuery(membersQuery);
  const [isInviting, setInviting] = useState(false);
  const [again, setAgain] = useState<Invited | null>(null);
  const roster = data.pages.flatMap(({ members }) => members);
  const members = roster.filter((one): one is Member => one.type === "member");
  const invites = roster.filter((one): one is Invite => one.type === "invite");
  return (
    <>
      <PageHeader
        title={own.title}
        actions={isAdmin && <Button onClick={() => setInviting(true)}>{own.invite}</Button>}
      />
      <ScreenBody className={styles.body}>
        {error && <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />}
        <People members={members} />
        <Stack as="section">
          <h2>{own.invites}</h2>
          <Invites invites={invites} onAgain={setAgain} />
        </Stack>
        {hasNextPage && (
          <div>
            <Button variant="default" onClick={() => fetchNextPage()}>
              {words.more}
            </Button>
          </div>
        )}
        <RoleTable />
      </ScreenBody>
      <InviteDialog
        isOpen={isInviting}
        again={again}
        onClose={() => {
          setInviting(false);
          setAgain(null);
        }}
      />
    </>
  );
}

export const route = createLazyRoute("/signed-in/settings/members")({ component: MembersScreen });

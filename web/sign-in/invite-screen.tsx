import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, Link, useLocation } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { chooseAccount } from "../api/chosen-account.ts";
import { api, type Schemas, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Skeleton } from "../parts/loading.tsx";
import textStyles from "../parts/text.module.css";
import { Card, Fault } from "./card.tsx";
import { readToken } from "./fragment.ts";
import { NewPasswordForm, PasswordForm } from "./new-password-form.tsx";
import { type Challenge, inviteQuery, selfOrNobodyQuery, useEnter } from "./queries.ts";
import { SecondFactorStep } from "./second-factor-step.tsx";
import { roleWords, words } from "./words.ts";

interface InviteProps {
  readonly token: string;
  readonly invite: Schemas["InviteView"];
}

function useOpenAccount(): (accountId: string) => void {
  const enter = useEnter();
  return (accountId) => {
    chooseAccount(accountId);
    void enter("/");
  };
}

function Facts({ invite }: { readonly invite: Schemas["InviteView"] }) {
  return (
    <p className={`${textStyles.muted} ${textStyles.wrap}`}>
      {words.invite.from(invite.inviterEmail)} {roleWords[invite.role]}
    </p>
  );
}

/** Shown to an invited person who is not a user yet. The person chooses a name and a password. */
function NewPerson({ token, invite }: InviteProps) {
  const open = useOpenAccount();
  const [name, setName] = useState("");
  const accept = useMutation({
    mutationFn: (password: string) => {
      const named = name.trim() === "" ? {} : { name: name.trim() };
      return send(api.POST("/v1/invites/accept", { body: { token, password, ...named } }));
    },
    onSuccess: ({ accountId }) => open(accountId),
  });
  return (
    <NewPasswordForm
      email={invite.email}
      action={words.invite.join(invite.accountName)}
      error={accept.error}
      isBusy={accept.isPending}
      onSubmit={accept.mutate}
      fields={
        <TextInput
          label={words.invite.name}
          description={words.invite.nameHint}
          name="name"
          autoComplete="name"
          maxLength={255}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      }
    />
  );
}

function JoinButton({ token, invite }: InviteProps) {
  const open = useOpenAccount();
  const join = useMutation({
    mutationFn: () => send(api.POST("/v1/invites/join", { body: { token } })),
    onSuccess: ({ accountId }) => open(accountId),
  });
  return (
    <>
      <Fault error={join.error} />
      <Button fullWidth loading={join.isPending} onClick={() => join.mutate()}>
        {words.invite.join(invite.accountName)}
      </Button>
    </>
  );
}

/**
 * Shown to an invited person who is already a user. The person signs in if necessary and joins the
 * account.
 */
function KnownPerson({ token, invite }: InviteProps) {
  const queryClient = useQueryClient();
  const self = useQuery(selfOrNobodyQuery);
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  const refetchInvite = () => void renewQueries(queryClient, selfOrNobodyQuery.queryKey);
  const signOut = useMutation({
    mutationFn: () => send(api.DELETE("/v1/sessions/current")),
    onSuccess: refetchInvite,
  });
  if (self.data === undefined) {
    return self.error ? <ErrorPanel error={self.error} /> : <Skeleton rows={3} />;
  }
  if (self.data === null) {
    if (challenge !== null) {
      return <SecondFactorStep challenge={challenge} onSignedIn={refetchInvite} />;
    }
    return (
      <>
        <p>{words.invite.signInFirst}</p>
        <PasswordForm email={invite.email} onSignedIn={refetchInvite} onChallenge={setChallenge} />
      </>
    );
  }
  const { email } = self.data;
  if (email.toLowerCase() === invite.email.toLowerCase()) {
    return <JoinButton token={token} invite={invite} />;
  }
  return (
    <>
      <p>{words.invite.other(invite.email, email)}</p>
      <Fault error={signOut.error} />
      <Button variant="default" loading={signOut.isPending} onClick={() => signOut.mutate()}>
        {words.invite.signOut}
      </Button>
    </>
  );
}

function OpenInvite({ token }: { readonly token: string }) {
  const { data: invite, error, refetch } = useQuery(inviteQuery(token));
  if (invite === undefined) {
    if (error instanceof ApiError && error.status === 404) return <SpentInvite />;
    return (
      <Card title={words.title}>
        {error ? <ErrorPanel error={error} onRetry={refetch} /> : <Skeleton rows={4} />}
      </Card>
    );
  }
  const Person = invite.isKnown ? KnownPerson : NewPerson;
  return (
    <Card title={words.invite.title(invite.accountName)}>
      <Facts invite={invite} />
      <Person token={token} invite={invite} />
    </Card>
  );
}

function SpentInvite() {
  return (
    <Card title={words.invite.badTitle}>
      <p>{words.invite.bad}</p>
      <p>
        <Link to="/">{words.invite.toApp}</Link>
      </p>
    </Card>
  );
}

function InviteScreen() {
  const { hash } = useLocation();
  const token = readToken(hash, "token");
  return token === null ? <SpentInvite /> : <OpenInvite token={token} />;
}

export const route = createLazyRoute("/invite")({ component: InviteScreen });

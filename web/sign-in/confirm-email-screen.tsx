import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, Link, useLocation } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Skeleton } from "../parts/loading.tsx";
import textStyles from "../parts/text.module.css";
import { Card, Fault } from "./card.tsx";
import { readToken } from "./fragment.ts";
import { PasswordForm } from "./new-password-form.tsx";
import { type Challenge, selfOrNobodyQuery, useEnter } from "./queries.ts";
import { SecondFactorStep } from "./second-factor-step.tsx";
import { words } from "./words.ts";

const own = words.confirmEmail;

function SpentLink() {
  return (
    <Card title={own.badTitle}>
      <p>{own.bad}</p>
      <p>
        <Link to="/settings/profile">{own.toProfile}</Link>
      </p>
    </Card>
  );
}

function SignInFirst() {
  const queryClient = useQueryClient();
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  const goOn = () => void renewQueries(queryClient, selfOrNobodyQuery.queryKey);
  if (challenge !== null) return <SecondFactorStep challenge={challenge} onSignedIn={goOn} />;
  return (
    <>
      <p>{own.signInFirst}</p>
      <PasswordForm onSignedIn={goOn} onChallenge={setChallenge} />
    </>
  );
}

/** Confirms an email address with a button, because mail scanners open links automatically. */
function Confirm({ token, pending }: { readonly token: string; readonly pending: string | null }) {
  const enter = useEnter();
  const confirm = useMutation({
    mutationFn: () => send(api.POST("/v1/users/me/email/confirm", { body: { token } })),
    onSuccess: () => enter("/settings/profile"),
  });
  if (confirm.error instanceof ApiError && confirm.error.status === 404) return <SpentLink />;
  return (
    <Card title={own.title}>
      {pending !== null && (
        <p className={`${textStyles.muted} ${textStyles.wrap}`}>{own.text(pending)}</p>
      )}
      <Fault error={confirm.error} />
      <Button fullWidth loading={confirm.isPending} onClick={() => confirm.mutate()}>
        {own.confirm}
      </Button>
    </Card>
  );
}

function OpenLink({ token }: { readonly token: string }) {
  const { data, error, refetch } = useQuery(selfOrNobodyQuery);
  if (data) return <Confirm token={token} pending={data.pendingEmail} />;
  return (
    <Card title={own.title}>
      {data === null && <SignInFirst />}
      {data === undefined && error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Skeleton rows={3} />}
    </Card>
  );
}

function ConfirmEmailScreen() {
  const { hash } = useLocation();
  const token = readToken(hash, "token");
  return token === null ? <SpentLink /> : <OpenLink token={token} />;
}

export const route = createLazyRoute("/confirm-email")({ component: ConfirmEmailScreen });

import { useMutation } from "@tanstack/react-query";
import { createLazyRoute, Link, useLocation } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { api, send } from "../api/client.ts";
import textStyles from "../parts/text.module.css";
import { Card } from "./card.tsx";
import { readToken } from "./fragment.ts";
import { NewPasswordForm } from "./new-password-form.tsx";
import { type Challenge, findChallenge, useEnter } from "./queries.ts";
import { SecondFactorStep } from "./second-factor-step.tsx";
import { words } from "./words.ts";

function SpentLink() {
  return (
    <Card title={words.reset.badTitle}>
      <p>{words.reset.bad}</p>
      <p>
        <Link to="/sign-in" search={{ step: "forgotten" }}>
          {words.reset.again}
        </Link>
      </p>
    </Card>
  );
}

function ResetForm({ token }: { readonly token: string }) {
  const enter = useEnter();
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  const save = useMutation({
    mutationFn: (newPassword: string) =>
      send(api.POST("/v1/password-resets/answer", { body: { token, newPassword } })),
    onSuccess: (answer) => {
      const next = findChallenge(answer);
      if (next === null) void enter("/");
      else setChallenge(next);
    },
  });
  if (challenge !== null) {
    return (
      <Card title={words.factor.title}>
        <SecondFactorStep challenge={challenge} onSignedIn={() => void enter("/")} />
      </Card>
    );
  }
  if (save.error instanceof ApiError && save.error.status === 404) return <SpentLink />;
  return (
    <Card title={words.choose.newTitle}>
      <NewPasswordForm
        email={null}
        action={words.choose.save}
        error={save.error}
        isBusy={save.isPending}
        onSubmit={save.mutate}
      >
        <p className={`${textStyles.muted} ${textStyles.wrap}`}>{words.choose.ends}</p>
      </NewPasswordForm>
    </Card>
  );
}

function ResetPasswordScreen() {
  const { hash } = useLocation();
  const token = readToken(hash, "token");
  return token === null ? <SpentLink /> : <ResetForm token={token} />;
}

export const route = createLazyRoute("/reset-password")({ component: ResetPasswordScreen });

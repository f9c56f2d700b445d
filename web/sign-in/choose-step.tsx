import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api, type Schemas, send } from "../api/client.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { showNotice } from "../parts/notices.tsx";
import textStyles from "../parts/text.module.css";
import { Card } from "./card.tsx";
import { NewPasswordForm } from "./new-password-form.tsx";
import { selfQuery, useEnter } from "./queries.ts";
import { words } from "./words.ts";

/** Saves the address only once, even if the password is rejected and submitted again. */
function useSaveEmail(): (email: string) => Promise<Schemas["OwnUser"]> {
  const saved = useRef<{ readonly email: string; readonly user: Schemas["OwnUser"] } | null>(null);
  return async (email) => {
    if (saved.current?.email === email) return saved.current.user;
    const user = await send(api.PUT("/v1/users/me/email", { body: { email } }));
    saved.current = { email, user };
    return user;
  };
}

interface ChooseProps {
  readonly self: Schemas["OwnUser"];
  readonly returnTo: string;
}

/** The first owner has no address yet. Without one they receive neither alerts nor reset links. */
function FirstOwner({ returnTo }: Pick<ChooseProps, "returnTo">) {
  const enter = useEnter();
  const [email, setEmail] = useState("");
  const saveEmail = useSaveEmail();
  const save = useMutation({
    mutationFn: async (newPassword: string) => {
      const user = await saveEmail(email.trim());
      await send(api.PUT("/v1/users/me/password", { body: { newPassword } }));
      return user;
    },
    onSuccess: async (user) => {
      await enter(returnTo);
      const { pendingEmail } = user;
      if (pendingEmail !== null) showNotice({ text: words.choose.confirm(pendingEmail) });
    },
  });
  return (
    <Card title={words.choose.welcome}>
      <NewPasswordForm
        email={null}
        hasFocus={false}
        action={words.choose.save}
        error={save.error}
        isBusy={save.isPending}
        onSubmit={save.mutate}
        fields={
          <TextInput
            label={words.choose.email}
            description={words.choose.emailHint}
            name="email"
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            maxLength={254}
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
        }
      />
    </Card>
  );
}

function ChoosePassword({ self, returnTo }: ChooseProps) {
  const enter = useEnter();
  const save = useMutation({
    mutationFn: (newPassword: string) =>
      send(api.PUT("/v1/users/me/password", { body: { newPassword } })),
    onSuccess: () => enter(returnTo),
  });
  return (
    <Card title={self.hasPassword ? words.choose.newTitle : words.choose.title}>
      <NewPasswordForm
        email={self.email}
        action={words.choose.save}
        error={save.error}
        isBusy={save.isPending}
        onSubmit={save.mutate}
      >
        {self.hasPassword && (
          <>
            <Button variant="default" fullWidth onClick={() => enter(returnTo)}>
              {words.choose.keep}
            </Button>
            <p className={`${textStyles.muted} ${textStyles.wrap}`}>{words.choose.ends}</p>
          </>
        )}
      </NewPasswordForm>
    </Card>
  );
}

/** Lets a user choose a password after signing in with a one-time link. */
export function ChooseStep({ returnTo }: { readonly returnTo: string }) {
  const { data, error } = useQuery(selfQuery);
  if (data === undefined) {
    return (
      <Card title={words.choose.title}>
        {error ? <ErrorPanel error={error} /> : <Skeleton rows={4} />}
      </Card>
    );
  }
  const isFirst = data.isEmailPlaceholder && !data.hasPassword;
  if (isFirst) return <FirstOwner returnTo={returnTo} />;
  return <ChoosePassword self={data} returnTo={returnTo} />;
}

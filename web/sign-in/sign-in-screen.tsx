import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { createLazyRoute, Link, useLocation, useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { api, type Schemas, send } from "../api/client.ts";
import { hasPasskeys } from "../api/passkey-client.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Stack } from "../parts/layout.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { showNotice } from "../parts/notices.tsx";
import textStyles from "../parts/text.module.css";
import { Card, Fault } from "./card.tsx";
import { readChallenge, readToken } from "./fragment.ts";
import { NewPasswordForm, PasswordForm } from "./new-password-form.tsx";
import { type Challenge, selfQuery, useEnter, waysQuery } from "./queries.ts";
import { PasskeyButton, SecondFactorStep } from "./second-factor-step.tsx";
import { words } from "./words.ts";

/**
 * Returns a function that saves the email address of the user. The form saves the address first and
 * then the password. If the password is rejected, the user submits the form again. An address that
 * is already saved is then not sent a second time.
 */
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

/**
 * Form for the email address and password of the first owner. The first owner has no address yet,
 * and without one receives neither alerts nor password reset links.
 */
function FirstOwner({ returnTo }: Pick<ChooseProps, "returnTo">) {
  const enter = useEnter();
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const saveEmail = useSaveEmail();
  const save = useMutation({
    mutationFn: async (newPassword: string) => {
      const user = await saveEmail(email.trim());
      if (name.trim() !== "") {
        await send(api.PATCH("/v1/users/me", { body: { name: name.trim() } }));
      }
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
          <>
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
            <TextInput
              label={words.invite.name}
              description={words.invite.nameHint}
              name="name"
              autoComplete="name"
              maxLength={255}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
          </>
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

/** Form for a new password, shown after the user has signed in with a one-time link. */
function ChooseStep({ returnTo }: { readonly returnTo: string }) {
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

function ResetForm() {
  const [email, setEmail] = useState("");
  const ask = useMutation({
    mutationFn: () => send(api.POST("/v1/password-resets", { body: { email } })),
  });
  if (ask.isSuccess) {
    return (
      <div role="status">
        <h2>{words.reset.sent}</h2>
        <p className={`${textStyles.muted} ${textStyles.wrap}`}>{words.reset.sentMore}</p>
      </div>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    ask.mutate();
  };
  return (
    <Stack as="form" gap={4} onSubmit={submit}>
      <p className={`${textStyles.muted} ${textStyles.wrap}`}>{words.reset.explain}</p>
      <TextInput
        label={words.email}
        name="email"
        type="email"
        autoComplete="username"
        required
        withAsterisk={false}
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <Fault error={ask.error} />
      <Button type="submit" fullWidth loading={ask.isPending}>
        {words.reset.send}
      </Button>
    </Stack>
  );
}

function ForgottenStep() {
  const { data, error } = useQuery(waysQuery);
  return (
    <Card title={words.reset.title}>
      {data === undefined && (error ? <Fault error={error} /> : <Skeleton rows={3} />)}
      {data?.passwordReset && <ResetForm />}
      {data?.passwordReset === false && (
        <>
          <p>{words.reset.noMail}</p>
          <p className={`${textStyles.muted} ${textStyles.wrap}`}>{words.reset.command}</p>
          <code className={textStyles.code}>npm run vedette sign-in-link -- --email …</code>
        </>
      )}
      <p>
        <Link to="/sign-in">{words.back}</Link>
      </p>
    </Card>
  );
}

/** Exchanges a one-time link for a session as soon as the screen opens. */
function LinkStep({ token }: { readonly token: string }) {
  const navigate = useNavigate();
  const isAsked = useRef(false);
  const { mutate, error } = useMutation({
    mutationFn: () => send(api.POST("/v1/sessions/link", { body: { token } })),
    // Replaces the history entry, so that the used token does not stay in the history.
    onSuccess: () => navigate({ to: "/sign-in", search: { step: "password" }, replace: true }),
  });
  useEffect(() => {
    if (isAsked.current) return;
    isAsked.current = true;
    mutate();
  }, [mutate]);
  if (error === null) {
    return (
      <Card title={words.link.working}>
        <Skeleton rows={3} />
      </Card>
    );
  }
  const isSpent = error instanceof ApiError && error.status === 404;
  return (
    <Card title={words.link.badTitle}>
      {isSpent ? (
        <>
          <p>{words.link.bad}</p>
          <p className={`${textStyles.muted} ${textStyles.wrap}`}>{words.link.command}</p>
          <code className={textStyles.code}>npm run vedette sign-in-link</code>
        </>
      ) : (
        <Fault error={error} />
      )}
      <p>
        <Link to="/sign-in">{words.back}</Link>
      </p>
    </Card>
  );
}

interface OtherWaysProps {
  readonly returnTo: string;
  readonly onSignedIn: () => void;
}

/** Shows the alternatives to the password that both the server and the browser support. */
function OtherWays({ returnTo, onSignedIn }: OtherWaysProps) {
  const { data: ways } = useQuery(waysQuery);
  if (ways === undefined) return null;
  const { oidc, passkey } = ways;
  const offersPasskey = passkey.isUsable && hasPasskeys();
  if (oidc === null && !offersPasskey) return null;
  return (
    <Stack gap={4}>
      {offersPasskey && <PasskeyButton onSignedIn={onSignedIn} />}
      {oidc && (
        <Button
          component="a"
          href={`${oidc.path}?${new URLSearchParams({ return: returnTo })}`}
          variant="default"
          fullWidth
        >
          {words.provider(oidc.name)}
        </Button>
      )}
    </Stack>
  );
}

function FirstStep({ returnTo }: { readonly returnTo: string }) {
  const enter = useEnter();
  const [challenge, setChallenge] = useState<Challenge | null>(() =>
    // The fragment is read from `location`, because the router would decode it.
    readChallenge(location.hash),
  );
  const goOn = () => void enter(returnTo);
  if (challenge !== null) {
    return (
      <Card title={words.factor.title}>
        <SecondFactorStep challenge={challenge} onSignedIn={goOn} />
      </Card>
    );
  }
  return (
    <Card title={words.title}>
      <PasswordForm onSignedIn={goOn} onChallenge={setChallenge}>
        <p>
          <Link to="/sign-in" search={(search) => ({ ...search, step: "forgotten" })}>
            {words.forgotten}
          </Link>
        </p>
      </PasswordForm>
      <OtherWays returnTo={returnTo} onSignedIn={goOn} />
    </Card>
  );
}

function SignInScreen() {
  const search = useSearch({ from: "/sign-in" });
  const { hash } = useLocation();
  const token = readToken(hash, "link");
  const returnTo = search.return ?? "/";
  if (token !== null) return <LinkStep token={token} />;
  if (search.step === "password") return <ChooseStep returnTo={returnTo} />;
  if (search.step === "forgotten") return <ForgottenStep />;
  return <FirstStep returnTo={returnTo} />;
}

export const route = createLazyRoute("/sign-in")({ component: SignInScreen });

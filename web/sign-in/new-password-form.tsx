import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { api, send } from "../api/client.ts";
import { Stack } from "../parts/layout.tsx";
import { Fault } from "./card.tsx";
import { type Challenge, findChallenge } from "./queries.ts";
import styles from "./sign-in.module.css";
import { words } from "./words.ts";

interface PasswordFormProps {
  /** Initial email address, if known, for example from an invite. */
  readonly email?: string;
  readonly onSignedIn: () => void;
  readonly onChallenge: (challenge: Challenge) => void;
  /** Content shown below the button. */
  readonly children?: ReactNode;
}

export function PasswordForm(props: PasswordFormProps) {
  const { email: knownEmail, onSignedIn, onChallenge, children } = props;
  const [email, setEmail] = useState(knownEmail ?? "");
  const [password, setPassword] = useState("");
  const signIn = useMutation({
    mutationFn: () => send(api.POST("/v1/sessions", { body: { email, password } })),
    onSuccess: (answer) => {
      const challenge = findChallenge(answer);
      if (challenge === null) onSignedIn();
      else onChallenge(challenge);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <Stack as="form" gap={4} onSubmit={submit}>
      <TextInput
        label={words.email}
        name="email"
        type="email"
        autoComplete="username"
        required
        withAsterisk={false}
        autoFocus={knownEmail === undefined}
        readOnly={knownEmail !== undefined}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <PasswordInput
        label={words.password}
        name="password"
        autoComplete="current-password"
        required
        withAsterisk={false}
        autoFocus={knownEmail !== undefined}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <Fault error={signIn.error} />
      <Button type="submit" fullWidth loading={signIn.isPending}>
        {words.signIn}
      </Button>
      {children}
    </Stack>
  );
}

interface NewPasswordFormProps {
  /** Email address of the user, for password managers; `null` if unknown. */
  readonly email: string | null;
  readonly action: string;
  readonly error: unknown;
  readonly isBusy: boolean;
  readonly onSubmit: (password: string) => void;
  /** Fields shown between the email address and the password. */
  readonly fields?: ReactNode;
  /** Whether the password field gets the initial focus. */
  readonly hasFocus?: boolean;
  /** Content shown below the button. */
  readonly children?: ReactNode;
}

export function NewPasswordForm(props: NewPasswordFormProps) {
  const { email, action, error, isBusy, onSubmit, fields, children } = props;
  const { hasFocus = true } = props;
  const [password, setPassword] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(password);
  };
  return (
    <Stack as="form" gap={4} onSubmit={submit}>
      {email !== null && (
        <TextInput
          label={words.email}
          name="email"
          autoComplete="username"
          readOnly
          classNames={{ input: styles.known ?? "" }}
          value={email}
        />
      )}
      {fields}
      <PasswordInput
        label={words.choose.label}
        description={words.choose.hint}
        name="new-password"
        autoComplete="new-password"
        required
        withAsterisk={false}
        minLength={10}
        maxLength={200}
        autoFocus={hasFocus}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <Fault error={error} />
      <Button type="submit" fullWidth loading={isBusy}>
        {action}
      </Button>
      {children}
    </Stack>
  );
}

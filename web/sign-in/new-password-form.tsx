import { Button, PasswordInput, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { Stack } from "../parts/layout.tsx";
import { Fault } from "./fault.tsx";
import styles from "./sign-in.module.css";
import { words } from "./words.ts";

interface NewPasswordFormProps {
  /** Shown so that password managers store it with the password; `null` if unknown. */
  readonly email: string | null;
  readonly action: string;
  readonly error: unknown;
  readonly isBusy: boolean;
  readonly onSubmit: (password: string) => void;
  /** Fields between the address and the password. */
  readonly fields?: ReactNode;
  /** Whether the password field gets the initial focus. */
  readonly hasFocus?: boolean;
  /** Content below the button. */
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

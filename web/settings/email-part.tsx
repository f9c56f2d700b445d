import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useSession } from "../api/session.ts";
import { getFieldError, getFormError } from "../editing/index.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { FormLayout, Row, Stack } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import textStyles from "../parts/text.module.css";
import { words } from "./words.ts";

const own = words.profile;

/** The unconfirmed new address, and how to cancel the change. */
function Pending({ pending, current }: { readonly pending: string; readonly current: string }) {
  const queryClient = useQueryClient();
  const keep = useMutation({
    mutationFn: () => send(api.DELETE("/v1/users/me/email/pending")),
    onSuccess: () => renewQueries(queryClient, ["session"]),
  });
  return (
    <div role="status">
      <p>{own.pending(pending)}</p>
      {keep.error && <ErrorPanel error={keep.error} />}
      <Button variant="default" size="xs" loading={keep.isPending} onClick={() => keep.mutate()}>
        {own.keepEmail(current)}
      </Button>
    </div>
  );
}

function EmailForm({ onDone }: { readonly onDone: () => void }) {
  const { user } = useSession();
  const queryClient = useQueryClient();
  const [email, setEmail] = useState("");
  const [currentPassword, setPassword] = useState("");
  const change = useMutation({
    mutationFn: () => {
      const proof = user.hasPassword ? { currentPassword } : {};
      return send(api.PUT("/v1/users/me/email", { body: { email: email.trim(), ...proof } }));
    },
    onSuccess: async ({ pendingEmail }) => {
      await renewQueries(queryClient, ["session"]);
      showNotice({ text: pendingEmail === null ? own.emailSaved : own.pending(pendingEmail) });
      onDone();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  const beside = getFormError(change.error, ["email", "currentPassword"]);
  return (
    <FormLayout onSubmit={submit}>
      <TextInput
        label={own.newEmail}
        name="email"
        type="email"
        autoComplete="email"
        required
        withAsterisk={false}
        maxLength={254}
        autoFocus
        value={email}
        error={getFieldError(change.error, "email")}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      {user.hasPassword && (
        <PasswordInput
          label={own.password}
          name="current-password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          maxLength={200}
          value={currentPassword}
          error={getFieldError(change.error, "currentPassword")}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
      )}
      {beside && <ErrorPanel error={beside} />}
      <Row>
        <Button type="submit" loading={change.isPending}>
          {own.saveEmail}
        </Button>
        <Button variant="default" onClick={onDone}>
          {own.cancel}
        </Button>
      </Row>
    </FormLayout>
  );
}

/** The address used to sign in and to receive mail. */
export function EmailPart() {
  const { user } = useSession();
  const [isOpen, setOpen] = useState(false);
  return (
    <Stack as="section" aria-labelledby="email-title">
      <h2 id="email-title">{own.email}</h2>
      <p>
        <bdi>{user.email}</bdi>
      </p>
      <p className={textStyles.muted}>
        {user.isEmailPlaceholder ? own.placeholder : own.emailHint}
      </p>
      {user.pendingEmail !== null && <Pending pending={user.pendingEmail} current={user.email} />}
      {isOpen ? (
        <EmailForm onDone={() => setOpen(false)} />
      ) : (
        <div>
          <Button variant="default" onClick={() => setOpen(true)}>
            {own.changeEmail}
          </Button>
        </div>
      )}
    </Stack>
  );
}

import {
  Button,
  NativeSelect,
  PasswordInput,
  TextInput,
  useMantineColorScheme,
} from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay, useSession } from "../api/session.ts";
import { getFieldError, getFormError, useDraft } from "../editing/index.ts";
import { FactList } from "../parts/blocks.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import layoutStyles from "../parts/layout.module.css";
import { FormLayout, Row, ScreenBody, Stack } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import textStyles from "../parts/text.module.css";
import styles from "./settings.module.css";
import { words } from "./words.ts";

/** Shows the new email address until it is confirmed, with a button that cancels the change. */
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
          aria-invalid={getFieldError(change.error, "currentPassword") !== undefined}
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

/** Edits the email address with which the user signs in and at which the user receives mail. */
function EmailPart() {
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

const own = words.profile;

interface NameFormProps {
  readonly draftName: string;
  readonly label: string;
  readonly hint?: string;
  readonly start: string;
  readonly isRequired?: boolean;
  readonly save: (name: string) => Promise<unknown>;
}

function NameForm({ draftName, label, hint, start, isRequired = false, save }: NameFormProps) {
  const queryClient = useQueryClient();
  const [name, setName, forget] = useDraft(draftName, start);
  const change = useMutation({
    mutationFn: () => save(name.trim()),
    onSuccess: async () => {
      forget();
      await renewQueries(queryClient, ["session"]);
      showNotice({ text: words.saved });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  const beside = getFormError(change.error, ["name"]);
  return (
    <FormLayout onSubmit={submit}>
      <TextInput
        label={label}
        description={hint}
        maxLength={255}
        required={isRequired}
        value={name}
        error={getFieldError(change.error, "name")}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {beside && <ErrorPanel error={beside} />}
      <Row>
        <Button type="submit" loading={change.isPending} disabled={name.trim() === start}>
          {words.save}
        </Button>
      </Row>
    </FormLayout>
  );
}

function ThemeChoice() {
  // `keepTransitions` avoids a style element, which the content security policy forbids.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  return (
    <NativeSelect
      className={layoutStyles.form}
      label={own.theme}
      description={own.themeHint}
      value={colorScheme}
      onChange={(event) => setColorScheme(event.currentTarget.value as "auto" | "light" | "dark")}
      data={Object.entries(own.themes).map(([value, label]) => ({ value, label }))}
    />
  );
}

function ProfileScreen() {
  const { user, account, role } = useSession();
  const isAdmin = useMay("admin");
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <>
      <PageHeader title={own.title} />
      <ScreenBody className={styles.body}>
        <NameForm
          draftName="profile"
          label={own.name}
          hint={own.nameHint}
          start={user.name ?? ""}
          save={(name) =>
            send(api.PATCH("/v1/users/me", { body: { name: name === "" ? null : name } }))
          }
        />
        <FactList>
          <dt>{own.role}</dt>
          <dd>{words.roles[role]}</dd>
          <dt>{own.zone}</dt>
          <dd>
            {zone}
            <p className={textStyles.muted}>{own.zoneHint}</p>
          </dd>
        </FactList>
        <EmailPart />
        <Stack gap={4}>
          <ThemeChoice />
        </Stack>
        {isAdmin && (
          <Stack as="section">
            <h2>{own.account}</h2>
            <NameForm
              key={account.id}
              draftName={`account.${account.id}`}
              label={own.accountName}
              start={account.name}
              isRequired
              save={(name) => send(api.PATCH("/v1/accounts/me", { body: { name } }))}
            />
          </Stack>
        )}
      </ScreenBody>
    </>
  );
}

export const route = createLazyRoute("/signed-in/settings/profile")({ component: ProfileScreen });

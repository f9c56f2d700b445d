import { Button, NativeSelect, TextInput, useMantineColorScheme } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import type { FormEvent } from "react";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay, useSession } from "../api/session.ts";
import { getFieldError, getFormError, useDraft } from "../editing/index.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { EmailPart } from "./email-part.tsx";
import styles from "./settings.module.css";
import { words } from "./words.ts";

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
    <form className={styles.form} onSubmit={submit}>
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
      <div className={styles.actions}>
        <Button type="submit" loading={change.isPending} disabled={name.trim() === start}>
          {words.save}
        </Button>
      </div>
    </form>
  );
}

function ThemeChoice() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <NativeSelect
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
      <div className={styles.body}>
        <NameForm
          draftName="profile"
          label={own.name}
          hint={own.nameHint}
          start={user.name ?? ""}
          save={(name) =>
            send(api.PATCH("/v1/users/me", { body: { name: name === "" ? null : name } }))
          }
        />
        <dl className={styles.facts}>
          <dt>{own.role}</dt>
          <dd>{words.roles[role]}</dd>
          <dt>{own.zone}</dt>
          <dd>
            {zone}
            <p className={styles.muted}>{own.zoneHint}</p>
          </dd>
        </dl>
        <EmailPart />
        <div className={styles.form}>
          <ThemeChoice />
        </div>
        {isAdmin && (
          <section className={styles.part}>
            <h2>{own.account}</h2>
            <NameForm
              key={account.id}
              draftName={`account.${account.id}`}
              label={own.accountName}
              start={account.name}
              isRequired
              save={(name) => send(api.PATCH("/v1/accounts/me", { body: { name } }))}
            />
          </section>
        )}
      </div>
    </>
  );
}

export const route = createLazyRoute("/signed-in/settings/profile")({ component: ProfileScreen });

import { Button, NativeSelect, TextInput, useMantineColorScheme } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import type { FormEvent } from "react";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay, useSession } from "../api/session.ts";
import { getFieldError, getFormError, useDraft } from "../editing/index.ts";
import { FactList } from "../parts/blocks.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { FormLayout, Row, ScreenBody, Stack } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import textStyles from "../parts/text.module.css";
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

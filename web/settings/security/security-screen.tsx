import { Button, PasswordInput, Switch } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { api, send } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { useMay, useSession } from "../../api/session.ts";
import { Callout } from "../../parts/blocks.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { ScreenBody, Stack } from "../../parts/layout.tsx";
import { LoadingScreen } from "../../parts/loading.tsx";
import { showNotice } from "../../parts/notices.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import textStyles from "../../parts/text.module.css";
import { waysQuery } from "../../sign-in/index.ts";
import { AppPart } from "./app-part.tsx";
import { PasskeysPart } from "./passkeys-part.tsx";
import { type Factors, factorsQuery } from "./queries.ts";
import { RecoveryCodesPart } from "./recovery-codes.tsx";
import styles from "./security.module.css";
import { SessionsPart } from "./sessions-part.tsx";
import { words } from "./words.ts";

const fieldWords: Readonly<Record<string, string>> = {
  currentPassword: words.password.current,
  newPassword: words.password.next,
};

function getFieldError(error: unknown, key: string): string | undefined {
  if (!(error instanceof ApiError) || error.validation?.keys.includes(key) !== true) {
    return undefined;
  }
  return error.message.replace(/^\w+/, (name) => fieldWords[name] ?? name);
}

function PasswordPart({ factors }: { readonly factors: Factors }) {
  const own = words.password;
  const queryClient = useQueryClient();
  const [currentPassword, setCurrent] = useState("");
  const [newPassword, setNew] = useState("");
  const change = useMutation({
    mutationFn: () =>
      send(api.PUT("/v1/users/me/password", { body: { currentPassword, newPassword } })),
    onSuccess: async () => {
      setCurrent("");
      setNew("");
      await renewQueries(queryClient, ["security"]);
      showNotice({ text: own.saved });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  const { error } = change;
  const isAtField =
    getFieldError(error, "currentPassword") !== undefined ||
    getFieldError(error, "newPassword") !== undefined;
  return (
    <Stack as="section" align="start" aria-labelledby="password-title">
      <h2 id="password-title">{own.title}</h2>
      {!factors.hasPassword && <p className={textStyles.muted}>{own.none}</p>}
      {factors.hasPassword && (
        <Stack as="form" gap={4} className={styles.form} onSubmit={submit}>
          <PasswordInput
            label={own.current}
            autoComplete="current-password"
            required
            withAsterisk={false}
            value={currentPassword}
            error={getFieldError(error, "currentPassword")}
            onChange={(event) => setCurrent(event.currentTarget.value)}
          />
          <PasswordInput
            label={own.next}
            description={own.hint}
            autoComplete="new-password"
            required
            withAsterisk={false}
            minLength={10}
            maxLength={200}
            value={newPassword}
            error={getFieldError(error, "newPassword")}
            onChange={(event) => setNew(event.currentTarget.value)}
          />
          {error && !isAtField && <ErrorPanel error={error} />}
          <div>
            <Button type="submit" variant="default" loading={change.isPending}>
              {own.save}
            </Button>
          </div>
        </Stack>
      )}
    </Stack>
  );
}

/**
 * Connects an identity provider. Signing in on both sides proves the identity, so that the password
 * and keys stay valid.
 */
function ProviderPart() {
  const { data: ways } = useQuery(waysQuery);
  if (!ways?.oidc) return null;
  const { name, path } = ways.oidc;
  const search = new URLSearchParams({ return: "/settings/security" });
  return (
    <Stack as="section" align="start" aria-labelledby="provider-title">
      <h2 id="provider-title">{name}</h2>
      <p className={textStyles.muted}>{words.provider.explain}</p>
      <div>
        <Button component="a" href={`${path}?${search}`} variant="default">
          {words.provider.connect(name)}
        </Button>
      </div>
    </Stack>
  );
}

function RulePart({ factors }: { readonly factors: Factors }) {
  const own = words.rule;
  const queryClient = useQueryClient();
  const { account } = useSession();
  const change = useMutation({
    mutationFn: (requiresSecondFactor: boolean) =>
      send(api.PATCH("/v1/accounts/me", { body: { requiresSecondFactor } })),
    onSuccess: async ({ requiresSecondFactor }) => {
      await renewQueries(queryClient, ["session"]);
      showNotice({ text: requiresSecondFactor ? own.saved : own.lifted });
    },
  });
  const isOn = account.requiresSecondFactor;
  const isBarred = !isOn && !factors.hasSecondFactor;
  return (
    <Stack as="section" align="start" aria-labelledby="rule-title">
      <h2 id="rule-title">{own.title}</h2>
      <Switch
        label={own.label}
        description={isBarred ? `${own.explain} ${own.needsOwn}` : own.explain}
        checked={isOn}
        disabled={isBarred || change.isPending}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
      {change.error && <ErrorPanel error={change.error} />}
    </Stack>
  );
}

function SecurityScreen() {
  const { account } = useSession();
  const isOwner = useMay("owner");
  const { data: factors, error, refetch } = useQuery(factorsQuery);
  if (factors === undefined) {
    return (
      <>
        <PageHeader title={words.title} />
        <ScreenBody gap={8} className={styles.body}>
          {error ? <ErrorPanel error={error} onRetry={refetch} /> : <LoadingScreen />}
        </ScreenBody>
      </>
    );
  }
  const mustSetUp = account.requiresSecondFactor && !factors.hasSecondFactor;
  return (
    <>
      <PageHeader title={words.title} />
      <ScreenBody gap={8} className={styles.body}>
        {mustSetUp && (
          <Callout tone="fair" role="status">
            <h2>{words.mustTitle}</h2>
            <p>{words.must}</p>
          </Callout>
        )}
        {!mustSetUp && <PasswordPart factors={factors} />}
        <AppPart factors={factors} />
        <RecoveryCodesPart factors={factors} />
        <PasskeysPart factors={factors} />
        <ProviderPart />
        <SessionsPart />
        {isOwner && <RulePart factors={factors} />}
      </ScreenBody>
    </>
  );
}

export const route = createLazyRoute("/signed-in/settings/security")({
  component: SecurityScreen,
});

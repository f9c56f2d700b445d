import { Button, PasswordInput, Switch } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { api, send } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { useMay, useSession } from "../../api/session.ts";
import { Callout } from "../../parts/blocks.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Row, ScreenBody, Stack } from "../../parts/layout.tsx";
import listStyles from "../../parts/list.module.css";
import { LoadingScreen, Skeleton } from "../../parts/loading.tsx";
import { showNotice } from "../../parts/notices.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import textStyles from "../../parts/text.module.css";
import { Ago } from "../../parts/time.tsx";
import { waysQuery } from "../../sign-in/index.ts";
import { type Factors, factorsQuery, type OpenSession, sessionsQuery } from "../queries.ts";
import { AppPart } from "./app-part.tsx";
import { PasskeysPart } from "./passkeys-part.tsx";
import { RecoveryCodesPart } from "./recovery-codes.tsx";
import styles from "./security.module.css";
import { words } from "./words.ts";

const own = words.sessions;

interface EntryProps {
  readonly session: OpenSession;
  readonly isBusy: boolean;
  readonly onEnd: () => void;
}

function Entry({ session, isBusy, onEnd }: EntryProps) {
  const { device, address, way, secondFactor, lastUsedAt, isCurrent } = session;
  const how = [own.ways[way], ...(secondFactor === null ? [] : [own.factors[secondFactor]])];
  return (
    <Row as="li" gap={4} tight className={`${listStyles.item} ${styles.entry}`}>
      <div className={styles.facts}>
        <p>
          <span className={textStyles.strong}>{device}</span>
          {isCurrent && <span className={styles.here}>{own.current}</span>}
        </p>
        <p className={textStyles.muted}>
          {own.from} {address} · {[...new Set(how)].join(" + ")} ·{" "}
          {lastUsedAt === null ? (
            own.unused
          ) : (
            <>
              {own.used} <Ago at={lastUsedAt} />
            </>
          )}
        </p>
      </div>
      {!isCurrent && (
        <Button
          variant="default"
          size="xs"
          loading={isBusy}
          aria-label={`${own.end} ${device} ${own.from} ${address}`}
          onClick={onEnd}
        >
          {own.end}
        </Button>
      )}
    </Row>
  );
}

function SessionsPart() {
  const queryClient = useQueryClient();
  const { data: sessions, error, refetch } = useQuery(sessionsQuery);
  const [isConfirming, setConfirming] = useState(false);
  const renew = () => renewQueries(queryClient, sessionsQuery.queryKey);
  const endOne = useMutation({
    mutationFn: (id: string) => send(api.DELETE("/v1/sessions/{id}", { params: { path: { id } } })),
    onSuccess: async () => {
      await renew();
      showNotice({ text: own.ended });
    },
  });
  const endOthers = useMutation({
    mutationFn: () => send(api.DELETE("/v1/sessions")),
    onSuccess: async () => {
      await renew();
      showNotice({ text: own.othersEnded });
    },
    onSettled: () => setConfirming(false),
  });
  const fault = endOne.error ?? endOthers.error;
  const otherCount = sessions?.filter(({ isCurrent }) => !isCurrent).length ?? 0;
  return (
    <Stack as="section" align="start" aria-labelledby="sessions-title">
      <Row gap={4} justify="between" className={styles.line}>
        <h2 id="sessions-title">{own.title}</h2>
        {otherCount > 0 && (
          <Button variant="default" onClick={() => setConfirming(true)}>
            {own.endOthers}
          </Button>
        )}
      </Row>
      {sessions === undefined &&
        (error ? <ErrorPanel error={error} onRetry={refetch} /> : <Skeleton rows={2} />)}
      {sessions !== undefined && (
        <ul className={listStyles.list}>
          {sessions.map((session) => (
            <Entry
              key={session.id}
              session={session}
              isBusy={endOne.isPending && endOne.variables === session.id}
              onEnd={() => endOne.mutate(session.id)}
            />
          ))}
        </ul>
      )}
      {fault && <ErrorPanel error={fault} />}
      <ConfirmDialog
        isOpen={isConfirming}
        title={own.endTitle}
        action={own.endOthers}
        isBusy={endOthers.isPending}
        onConfirm={() => endOthers.mutate()}
        onCancel={() => setConfirming(false)}
      >
        <p>{own.endWarning(otherCount)}</p>
      </ConfirmDialog>
    </Stack>
  );
}

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
            aria-invalid={getFieldError(error, "currentPassword") !== undefined}
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
            aria-invalid={getFieldError(error, "newPassword") !== undefined}
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
 * Connects an identity provider to the user. The user is signed in here and signs in to the
 * provider, which proves both identities. The password and the passkeys stay valid.
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

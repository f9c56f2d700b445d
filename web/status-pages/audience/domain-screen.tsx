import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, useParams } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api, send } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { useMay } from "../../api/session.ts";
import { useLoaded } from "../../api/use-loaded.ts";
import { getFieldError, getFormError } from "../../editing/index.ts";
import { Callout, FactList } from "../../parts/blocks.tsx";
import { CopyButton } from "../../parts/buttons.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Row, ScreenBody, Stack } from "../../parts/layout.tsx";
import { Skeleton } from "../../parts/loading.tsx";
import { showNotice } from "../../parts/notices.tsx";
import { type ShownState, StateMark } from "../../parts/state-mark.tsx";
import textStyles from "../../parts/text.module.css";
import { Ago, DateTime, formatDateTime } from "../../parts/time.tsx";
import { pageQuery, type StoredPage } from "../queries.ts";
import styles from "./audience.module.css";
import { domainQuery, type PageDomain, useChangePage } from "./queries.ts";
import { words } from "./words.ts";

const own = words.domain;
const from = "/signed-in/status-pages/$statusPageId/domain" as const;

/** Icon of each domain status, shown beside the status text. */
const marks: Readonly<Record<PageDomain["status"], ShownState>> = {
  PENDING: "unknown",
  VERIFIED: "passing",
  MISSING: "degraded",
  UNPROVED: "degraded",
  TAKEN: "failing",
};

interface DomainFormProps {
  readonly stored: StoredPage;
  readonly onDone: () => void;
  readonly onCancel?: () => void;
}

function DomainForm({ stored, onDone, onCancel }: DomainFormProps) {
  const [name, setName] = useState(stored.data.customDomain ?? "");
  const save = useChangePage(stored, () => {
    showNotice({ text: own.saved });
    onDone();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate({ customDomain: name.trim() });
  };
  const beside = getFormError(save.error, ["customDomain"]);
  return (
    <Stack as="form" gap={4} className={styles.form} onSubmit={submit}>
      <TextInput
        label={own.name}
        description={own.nameHint}
        placeholder="status.example.com"
        required
        maxLength={253}
        autoComplete="off"
        spellCheck={false}
        value={name}
        error={getFieldError(save.error, "customDomain")}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {beside && <ErrorPanel error={beside} title={words.notSaved} />}
      <Row>
        <Button type="submit" loading={save.isPending}>
          {own.add}
        </Button>
        {onCancel && (
          <Button variant="default" onClick={onCancel}>
            {words.cancel}
          </Button>
        )}
      </Row>
    </Stack>
  );
}

function RecordPart({ record }: { readonly record: PageDomain["records"][number] }) {
  const { type, name, value, isSeen } = record;
  return (
    <Stack gap={2} className={styles.record}>
      <Row as="h3" gap={4} tight>
        {type}
        <StateMark
          state={isSeen ? "passing" : "unknown"}
          word={isSeen ? own.seen : own.notSeen}
          hasWord
        />
      </Row>
      <Stack as="dl" gap={2}>
        <div className={styles.part}>
          <dt>{own.recordName}</dt>
          <dd className={`${textStyles.mono} ${textStyles.wrap}`}>{name}</dd>
          <dd>
            <CopyButton text={name} name={own.copyName(type)} />
          </dd>
        </div>
        <div className={styles.part}>
          <dt>{own.value}</dt>
          <dd className={`${textStyles.mono} ${textStyles.wrap}`}>{value}</dd>
          <dd>
            <CopyButton text={value} name={own.copyValue(type)} />
          </dd>
        </div>
      </Stack>
    </Stack>
  );
}

function Advice({ domain }: { readonly domain: PageDomain }) {
  const { status, servedUntil, isProofRequired } = domain;
  const text =
    status === "MISSING"
      ? own.missing(servedUntil === null ? "" : formatDateTime(servedUntil))
      : status === "UNPROVED"
        ? isProofRequired
          ? own.unproved
          : own.unprovedOff
        : status === "TAKEN"
          ? own.taken
          : null;
  return text === null ? null : (
    <Callout as="p" tone="fair">
      {text}
    </Callout>
  );
}

function Looks({ domain }: { readonly domain: PageDomain }) {
  const { provedAt, provedBy, claimedAt, lastLookAt, nextLookAt, lastOutcome, found } = domain;
  return (
    <>
      <FactList>
        <dt>{provedAt === null ? own.waiting : own.provedSince}</dt>
        <dd>
          <DateTime at={provedAt ?? claimedAt} /> {provedBy !== null && own.provedBy(provedBy)}
        </dd>
        <dt>{own.lastLook}</dt>
        <dd>{lastLookAt === null ? own.neverLooked : <Ago at={lastLookAt} />}</dd>
        {nextLookAt !== null && (
          <>
            <dt>{own.nextLook}</dt>
            <dd>
              <DateTime at={nextLookAt} />
            </dd>
          </>
        )}
      </FactList>
      {lastOutcome !== null && <p role="status">{own.outcomes[lastOutcome]}</p>}
      {lastOutcome === "OTHER_VALUE" && (
        <Stack as="ul" gap={1} className={`${styles.faults} ${textStyles.mono}`}>
          {found.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </Stack>
      )}
    </>
  );
}

function useCheck(statusPageId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      send(
        api.POST("/v1/status-pages/{statusPageId}/domain/check", {
          params: { path: { statusPageId } },
        }),
      ),
    onSuccess: async (domain) => {
      const { queryKey } = domainQuery(statusPageId);
      // A pending request is cancelled, because its response would overwrite the newer `domain`.
      await client.cancelQueries({ queryKey });
      client.setQueryData(queryKey, domain);
      await renewQueries(client, ["status-pages", "overviews"]);
    },
  });
}

function Proof({ statusPageId }: { readonly statusPageId: string }) {
  const mayWrite = useMay("write");
  const { data: domain, error, refetch } = useQuery(domainQuery(statusPageId));
  const check = useCheck(statusPageId);
  if (error && domain === undefined) {
    return <ErrorPanel error={error} title={words.notLoaded} onRetry={() => void refetch()} />;
  }
  if (domain === undefined) return <Skeleton rows={5} />;
  return (
    <>
      <Stack as="section" align="start" className={styles.section}>
        <h2 className={`${textStyles.mono} ${textStyles.wrap}`}>
          <bdi>{domain.unicodeDomain}</bdi>
        </h2>
        {domain.unicodeDomain !== domain.domain && (
          <p className={`${textStyles.mono} ${textStyles.muted} ${textStyles.wrap}`}>
            {domain.domain}
          </p>
        )}
        <p>
          <StateMark state={marks[domain.status]} word={own.statuses[domain.status]} hasWord />
        </p>
        <Advice domain={domain} />
        <p className={textStyles.muted}>
          {own.tls}{" "}
          <a href="/docs/status-pages" target="_blank" rel="noopener noreferrer">
            {own.guide}
          </a>
        </p>
      </Stack>
      {domain.isProofRequired && (
        <Stack as="section" align="start" className={styles.section}>
          <h2>{own.records}</h2>
          <p>{domain.records.length > 1 ? own.recordsEither : own.recordsOne}</p>
          <div className={styles.wide}>
            {domain.records.map((record) => (
              <RecordPart key={record.type} record={record} />
            ))}
          </div>
          <Looks domain={domain} />
          {check.error && <ErrorPanel error={check.error} />}
          {mayWrite && (
            <Button loading={check.isPending} onClick={() => check.mutate()}>
              {own.check}
            </Button>
          )}
        </Stack>
      )}
    </>
  );
}

function Changes({ stored }: { readonly stored: StoredPage }) {
  const [isChanging, setChanging] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const name = stored.data.customDomain ?? "";
  const remove = useChangePage(stored, () => {
    setRemoving(false);
    showNotice({ text: own.removed });
  });
  if (isChanging) {
    const close = () => setChanging(false);
    return <DomainForm stored={stored} onDone={close} onCancel={close} />;
  }
  return (
    <Row>
      <Button variant="default" onClick={() => setChanging(true)}>
        {own.change}
      </Button>
      <Button variant="default" onClick={() => setRemoving(true)}>
        {own.remove}
      </Button>
      <ConfirmDialog
        isOpen={isRemoving}
        title={own.removeTitle(name)}
        action={own.remove}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate({ customDomain: null })}
        onCancel={() => setRemoving(false)}
      >
        <p>{own.removeText(name)}</p>
        {remove.error && <ErrorPanel error={remove.error} title={words.notSaved} />}
      </ConfirmDialog>
    </Row>
  );
}

function DomainScreen() {
  const { statusPageId } = useParams({ from });
  const mayWrite = useMay("write");
  const { data: stored } = useLoaded(pageQuery(statusPageId));
  const hasDomain = stored.data.customDomain !== null;
  return (
    <ScreenBody className={styles.body}>
      {hasDomain ? (
        <>
          <Proof statusPageId={statusPageId} />
          {mayWrite && <Changes key={stored.data.customDomain} stored={stored} />}
        </>
      ) : (
        <Stack as="section" align="start" className={styles.section}>
          <h2>{own.title}</h2>
          <p>{own.intro}</p>
          {mayWrite && <DomainForm stored={stored} onDone={() => {}} />}
        </Stack>
      )}
    </ScreenBody>
  );
}

export const route = createLazyRoute(from)({ component: DomainScreen });

import { Button, Modal, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, send } from "../../api/client.ts";
import { createPasskey, PasskeyError, toWireRegistration } from "../../api/passkey-client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import listStyles from "../../parts/list.module.css";
import { Skeleton } from "../../parts/loading.tsx";
import { showNotice } from "../../parts/notices.tsx";
import textStyles from "../../parts/text.module.css";
import { Ago, DateTime } from "../../parts/time.tsx";
import { type Factors, type Passkey, passkeysQuery } from "../queries.ts";
import { type Guarded, useProof } from "./proof-dialog.tsx";
import { RecoveryCodesDialog } from "./recovery-codes.tsx";
import styles from "./security.module.css";
import { words } from "./words.ts";

const own = words.passkeys;
const maxNameLength = 100;

interface NameFormProps {
  readonly start: string;
  readonly action: string;
  readonly isBusy: boolean;
  readonly onSubmit: (name: string) => void;
}

function NameForm({ start, action, isBusy, onSubmit }: NameFormProps) {
  const [name, setName] = useState(start);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(name.trim());
  };
  return (
    <Stack as="form" gap={4} onSubmit={submit}>
      <TextInput
        label={own.name}
        description={own.nameHint}
        required
        withAsterisk={false}
        maxLength={maxNameLength}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Row justify="end">
        <Button type="submit" loading={isBusy} disabled={name.trim() === ""}>
          {action}
        </Button>
      </Row>
    </Stack>
  );
}

interface EntryProps {
  readonly passkey: Passkey;
  readonly host: string | null;
  readonly onRename: () => void;
  readonly onRemove: () => void;
}

function Entry({ passkey, host, onRename, onRemove }: EntryProps) {
  const { name, lastUsedAt } = passkey;
  return (
    <Row as="li" gap={4} tight className={`${listStyles.item} ${styles.entry}`}>
      <div className={styles.facts}>
        <p className={textStyles.strong}>{name}</p>
        <p className={textStyles.muted}>
          {own.created} <DateTime at={passkey.created_at} /> ·{" "}
          {lastUsedAt === null ? (
            own.never
          ) : (
            <>
              {own.used} <Ago at={lastUsedAt} />
            </>
          )}
          {passkey.isSynced && ` · ${own.synced}`}
          {host !== passkey.host && ` · ${own.elsewhere(passkey.host)}`}
        </p>
      </div>
      <Row>
        <Button variant="default" size="xs" aria-label={`${own.rename} ${name}`} onClick={onRename}>
          {own.rename}
        </Button>
        <Button variant="default" size="xs" aria-label={`${own.remove} ${name}`} onClick={onRemove}>
          {own.remove}
        </Button>
      </Row>
    </Row>
  );
}

/**
 * Creates and registers a passkey. Returns `null` if the user has cancelled the browser's dialog.
 */
async function addPasskey(name: string, proof: Parameters<Guarded["run"]>[0]) {
  const options = await send(api.POST("/v1/users/me/passkeys/options", { body: proof }));
  try {
    const response = toWireRegistration(await createPasskey(options));
    const { optionsToken } = options;
    return await send(
      api.POST("/v1/users/me/passkeys", { body: { optionsToken, name, response } }),
    );
  } catch (error) {
    if (!(error instanceof PasskeyError)) throw error;
    showNotice({ text: own[error.kind], tone: "bad" });
    return null;
  }
}

function usePasskeyActions(factors: Factors, onCodes: (codes: readonly string[]) => void) {
  const queryClient = useQueryClient();
  const proof = useProof(factors);
  const renew = () => renewQueries(queryClient, ["security"]);
  const add = (name: string) =>
    proof.run({
      run: async (given) => {
        const created = await addPasskey(name, given);
        if (created === null) return;
        await renew();
        showNotice({ text: own.added });
        if (created.recoveryCodes !== null) onCodes(created.recoveryCodes);
      },
    });
  const remove = (passkey: Passkey) =>
    proof.run({
      title: own.removeTitle(passkey.name),
      warning: own.removeWarning,
      run: async (body) => {
        const params = { path: { id: passkey.id } };
        await send(api.POST("/v1/users/me/passkeys/{id}/remove", { params, body }));
        await renew();
        showNotice({ text: own.removed });
      },
    });
  const rename = useMutation({
    mutationFn: ({ id, name }: { readonly id: string; readonly name: string }) =>
      send(api.PATCH("/v1/users/me/passkeys/{id}", { params: { path: { id } }, body: { name } })),
    onSuccess: renew,
  });
  return { proof, add, remove, rename };
}

interface PasskeyListProps {
  readonly host: string | null;
  readonly onRename: (passkey: Passkey) => void;
  readonly onRemove: (passkey: Passkey) => void;
}

function PasskeyList({ host, onRename, onRemove }: PasskeyListProps) {
  const { data: passkeys, error, refetch } = useQuery(passkeysQuery);
  if (passkeys === undefined) {
    return error ? <ErrorPanel error={error} onRetry={refetch} /> : <Skeleton rows={1} />;
  }
  if (passkeys.length === 0) return null;
  return (
    <ul className={listStyles.list}>
      {passkeys.map((passkey) => (
        <Entry
          key={passkey.id}
          passkey={passkey}
          host={host}
          onRename={() => onRename(passkey)}
          onRemove={() => onRemove(passkey)}
        />
      ))}
    </ul>
  );
}

export function PasskeysPart({ factors }: { readonly factors: Factors }) {
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [isAdding, setAdding] = useState(false);
  const [renamed, setRenamed] = useState<Passkey | null>(null);
  const [removed, setRemoved] = useState<Passkey | null>(null);
  const actions = usePasskeyActions(factors, setCodes);
  const { isUsable, reason, host } = factors.passkeys;
  const fault = actions.proof.error ?? actions.rename.error;
  return (
    <Stack as="section" align="start" aria-labelledby="passkeys-title">
      <h2 id="passkeys-title">{own.title}</h2>
      <Row gap={4} justify="between" className={styles.line}>
        <p className={textStyles.muted}>{isUsable ? own.explain : reason}</p>
        {isUsable && (
          <Button variant="default" loading={actions.proof.isBusy} onClick={() => setAdding(true)}>
            {own.add}
          </Button>
        )}
      </Row>
      <PasskeyList host={host} onRename={setRenamed} onRemove={setRemoved} />
      {Boolean(fault) && <ErrorPanel error={fault} />}
      {actions.proof.dialog}
      <Modal
        opened={isAdding || renamed !== null}
        onClose={() => {
          setAdding(false);
          setRenamed(null);
        }}
        title={renamed === null ? own.add : own.rename}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <NameForm
          key={renamed?.id ?? "new"}
          start={renamed?.name ?? ""}
          action={renamed === null ? own.create : own.save}
          isBusy={actions.rename.isPending}
          onSubmit={(name) => {
            setAdding(false);
            setRenamed(null);
            if (renamed === null) actions.add(name);
            else actions.rename.mutate({ id: renamed.id, name });
          }}
        />
      </Modal>
      <RemoveDialog
        passkey={removed}
        onClose={() => setRemoved(null)}
        onRemove={(passkey) => {
          setRemoved(null);
          actions.remove(passkey);
        }}
      />
      <RecoveryCodesDialog codes={codes} onClose={() => setCodes(null)} />
    </Stack>
  );
}

interface RemoveDialogProps {
  readonly passkey: Passkey | null;
  readonly onClose: () => void;
  readonly onRemove: (passkey: Passkey) => void;
}

function RemoveDialog({ passkey, onClose, onRemove }: RemoveDialogProps) {
  return (
    <Modal
      opened={passkey !== null}
      onClose={onClose}
      title={own.removeTitle(passkey?.name ?? "")}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack gap={4}>
        <p>{own.removeWarning}</p>
        <Row justify="end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {words.cancel}
          </Button>
          <Button color="red" onClick={() => passkey && onRemove(passkey)}>
            {own.remove}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}
